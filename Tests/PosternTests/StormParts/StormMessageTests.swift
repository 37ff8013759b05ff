import Foundation
import GatewayFleet
import Testing

@testable import postern

struct StormMessageTests {
  /// Returns a result's message in which one number is replaced by another.
  private static func told(_ found: String, _ put: String) throws -> [UInt8] {
    var result = StormResult()
    result.connects.attempted = 4242
    result.seconds = 2424.5
    let line = try StormMessage.result(result).line()
    try #require(line.contains(found))
    return Array(line.replacing(found, with: put, maxReplacements: 1).utf8)
  }

  @Test
  func `a part's message is read back as it was written`() throws {
    guard case .result(let result) = try StormMessage(line: Self.told("4242", "4242")) else {
      Issue.record("no result")
      return
    }
    #expect(result.connects.attempted == 4242 && result.seconds == 2424.5)
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "9007199254740994", "1e308", "-1e308", "-1"])
  func `a part's message with a number whose sums would be too large is rejected`(number: String) throws {
    #expect(throws: (any Error).self) { try StormMessage(line: Self.told("4242", number)) }
    #expect(throws: (any Error).self) { try StormMessage(line: Self.told("2424.5", number)) }
  }

  @Test(arguments: ["-1", "2592001", "9007199254740992"])
  func `a part's message with a span of time that no storm has is rejected`(seconds: String) throws {
    #expect(throws: (any Error).self) { try StormMessage(line: Self.told("2424.5", seconds)) }
    let progress = #"{"progress":{"_0":{"stage":"holding","seconds":\#(seconds),"started":0,"connected":0,"#
    let rest = #""failed":0,"asked":0,"refreshed":0,"lost":0,"inFlight":0,"settled":0}}}"#
    #expect(throws: (any Error).self) { try StormMessage(line: Array((progress + rest).utf8)) }
  }

  @Test
  func `a part's results can be added to the results of the largest number of processes`() throws {
    var merged = StormResult()
    for _ in 0..<256 {
      guard case .result(let result) = try StormMessage(line: Self.told("4242", "9007199254740992")) else { return }
      merged.merge(result)
    }
    #expect(merged.connects.attempted == 256 << 53)
  }

  @Test(arguments: [-12.5, 12.5])
  func `a part may report a lagging clock of the endpoint, but no other negative number`(offset: Double) throws {
    var result = StormResult()
    result.tokens.clockOffset = offset
    let line = try StormMessage.result(result).line()
    guard case .result(let told) = try StormMessage(line: Array(line.utf8)) else {
      Issue.record("no result")
      return
    }
    #expect(told.tokens.clockOffset == offset)
    for lie in [#""clockOffset":1e300"#, #""clockOffset":-1e300"#, #""endless":-1"#] {
      let name = lie.prefix { $0 != ":" }
      let text = line.replacing(try Regex("\(name):[-0-9.]+"), with: lie)
      #expect(text != line)
      #expect(throws: (any Error).self) { try StormMessage(line: Array(text.utf8)) }
    }
    // Elsewhere the same word is a reason, which is counted.
    let elsewhere = line.replacing(#""errors":{}"#, with: #""errors":{"clockOffset":-1}"#)
    #expect(elsewhere != line)
    #expect(throws: (any Error).self) { try StormMessage(line: Array(elsewhere.utf8)) }
  }

  @Test
  func `a part may report how a process has ended, by a signal too`() throws {
    let line = try StormMessage.ended(status: -9, said: "").line()
    guard case .ended(-9, _) = try StormMessage(line: Array(line.utf8)) else {
      Issue.record("no end")
      return
    }
  }

  @Test
  func `a part of a fleet smaller than its figures is rejected`() {
    var result = StormResult()
    result.behaviours[.wellBehaved, default: .init()].clients = 3
    #expect(result.isPossible(of: 3) && !result.isPossible(of: 2))
    result.behaviours[.wellBehaved, default: .init()].kept = 4
    #expect(!result.isPossible(of: 4))
  }
}
