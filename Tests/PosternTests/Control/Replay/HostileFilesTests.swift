import Foundation
import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import TestSupport
import Testing

@testable import postern

struct HostileFilesTests {
  @Test
  func `a hostile journal is played, or refused with the number of its line, and traps nothing`() {
    let lines = [
      #"{"n":1,"at_ms":0,"kind":"connection_opened","connection":"0.1","dialect":"plain","time":"2026-11-25T08:00:00.000Z"}"#,
      #"{"n":2,"at_ms":5,"kind":"login_asked","connection":"0.1","user":"ann"}"#,
      #"{"n":3,"at_ms":6,"kind":"logged_in","connection":"0.1","user":"ann","expires_in_ms":60000,"user_kind":"regular"}"#,
      #"{"n":4,"at_ms":60006,"kind":"token_expired","connection":"0.1"}"#,
      #"{"n":5,"at_ms":60006,"kind":"message_in","connection":"0.1","message":"refresh","payload":"{\"token\":\"...\"}"}"#,
      #"{"n":6,"at_ms":60010,"kind":"closed","connection":"0.1","by":"peer","code":1000}"#,
      #"{"n":7,"at_ms":60011,"kind":"upgrade_refused","dialect":"plain","error":40102,"error_name":"token_expired"}"#,
      #"{"n":8,"at_ms":60012,"kind":"ordered","connection":"0.1","order":"disconnect"}"#,
      #"{"n":9,"at_ms":60013,"kind":"cut_off","connection":"0.1","code":4001,"reason":"other"}"#,
      #"{"n":10,"at_ms":60014,"kind":"revoked","user":"ann","connection":"0.1"}"#,
    ].joined(separator: "\n")
    var source = HostileBytes(seed: 21, examples: [lines], words: ["\n", "\"at_ms\"", "\"kind\"", "\"closed\""])
    var played = 0
    for _ in 0..<2_000 {
      do throws(ReplayLine.Malformed) {
        let script = ReplayScript(try ReplayLine.read(source.next()))
        #expect(script.steps.allSatisfy { $0.at >= .milliseconds(-10_000_000_000_000) })
        played += 1
      } catch {
        #expect(error.number >= 1)
      }
    }
    #expect(played > 100)
  }

  @Test
  func `a hostile line of a storm's part becomes a message whose numbers can be added, or is refused`() throws {
    var result = StormResult()
    result.connects.attempted = 4242
    result.seconds = 12.5
    result.behaviours[.wellBehaved, default: .init()].clients = 3
    var source = HostileBytes(
      seed: 22,
      examples: [
        try StormMessage.result(result).line(), try StormMessage.progress(StormProgress()).line(),
        try StormMessage.snapshot(result).line(), try StormMessage.ended(status: 3, said: "x").line(),
      ], words: ["\"seconds\"", "\"clients\""])
    var sum = StormResult()
    var added = 0
    for _ in 0..<1_000 {
      let line = source.next()
      switch try? StormMessage(line: line) {
      case .result(let told), .snapshot(let told):
        guard told.isPossible(of: 10) else { continue }
        sum.merge(told)
        added += 1
      case .progress(let told):
        var progress = StormProgress()
        progress.add(told)
        progress.add(told)
      case .ended, nil: break
      }
    }
    #expect(added > 20 && sum.seconds >= 0)
  }

  @Test
  func `a hostile configuration file is read, or refused with its place, and traps nothing`() throws {
    var source = HostileBytes(
      seed: 23, examples: ["{ port: 8080, 'loops': 2, \"dialect\": ['plain', \"x\"], on: true, ratio: .5 }"],
      words: ["//", "/*", "*/", "0x", "\\\n", "\u{2028}", ","])
    let folder = FileManager.default.temporaryDirectory.appending(path: "hostile-\(getpid()).json")
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<400 {
      try Data(source.next()).write(to: folder)
      do {
        _ = try ConfigurationFile.read(folder.path, of: "--config")
      } catch {
        #expect("\(error)".hasPrefix(folder.path) || error is UsageError)
      }
    }
  }

  @Test
  func `a hostile answer of a worker is read, or refused`() throws {
    var source = HostileBytes(
      seed: 24,
      examples: [
        #"{"version":"1.0.0","nanoseconds":1800000000000000000,"parts":0,"partsMax":16}"#,
        #"{"error":{"message":"busy"}}"#,
      ], words: ["\"nanoseconds\"", "\"message\"", "9223372036854775807", "-9223372036854775808"])
    for _ in 0..<3_000 {
      let bytes = source.next()
      #expect(WorkerRefusal(HTTPResponse(status: 409, body: bytes)).message.count <= 500)
      guard let status = try? JSONCoder().decode(WorkerStatus.self, from: bytes) else { continue }
      let error = WallTime(nanoseconds: status.nanoseconds) - (WallTime(seconds: 1.8e9) + .seconds(1))
      #expect(!error.inSeconds.isNaN)
    }
  }
}
