import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import postern

@Suite(.timeLimit(.minutes(5)))
struct HostileLinesTests {
  /// Returns the lines of `bytes`, written in random pieces by another thread.
  private static func lines(
    _ bytes: [UInt8], seed: UInt64, bytesMax: Int
  ) throws -> (lines: [[UInt8]], end: LineStream.Failure) {
    var descriptors: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    let stream = LineStream(descriptor: descriptors[0])
    let other = descriptors[1]
    Thread.detachNewThread {
      var generator = SeededGenerator(seed: seed)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(1 + Int(generator.next() % 97)))
        guard send(other, piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count else { break }
        rest = rest.dropFirst(piece.count)
      }
      close(other)
    }
    var lines: [[UInt8]] = []
    while true {
      do throws(LineStream.Failure) {
        lines.append(try stream.next(bytesMax: bytesMax))
      } catch {
        return (lines, error)
      }
    }
  }

  @Test
  func `hostile bytes in pieces arrive as their lines, up to one that is too long`() throws {
    var source = HostileBytes(
      seed: 41, examples: ["{\"a\":1}\n\n{\"b\":[2,3]}\n", "\n\n\n", "no end"], words: ["\n", "\r\n", "\n\n\n\n"])
    var (whole, tooLong) = (0, 0)
    for seed in 0..<300 {
      let bytes = source.next()
      let (lines, end) = try Self.lines(bytes, seed: UInt64(seed), bytesMax: 100)
      var expected = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
      if let long = expected.firstIndex(where: { $0.count > 100 }) {
        #expect(lines == Array(expected[..<long]) && end == .tooLong)
        tooLong += 1
      } else {
        // The text after the last line feed is not a line.
        expected.removeLast()
        #expect(lines == expected && end == .ended)
        whole += 1
      }
    }
    #expect(whole > 100 && tooLong > 5)
  }

  @Test
  func `a peer that sends only line feeds costs a reader no more than their number`() throws {
    let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 300_000)
    let (lines, end) = try Self.lines(bytes, seed: 7, bytesMax: 1_000)
    #expect(lines.count == bytes.count && lines.allSatisfy(\.isEmpty) && end == .ended)
  }
}
