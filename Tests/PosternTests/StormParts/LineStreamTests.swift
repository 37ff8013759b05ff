import Foundation
import GatewayCore
import Testing

@testable import postern

struct LineStreamTests {
  /// Returns both ends of a connection.
  private static func pair() throws -> (LineStream, Int32) {
    var descriptors: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    return (LineStream(descriptor: descriptors[0]), descriptors[1])
  }

  private static func say(_ text: String, to descriptor: Int32) {
    _ = text.utf8.withContiguousStorageIfAvailable { write(descriptor, $0.baseAddress, $0.count) }
  }

  @Test(arguments: 1...9)
  func `lines are cut wherever the other side's bytes are`(size: Int) async throws {
    let (stream, other) = try Self.pair()
    defer { close(other) }
    let text = Array("one\ntwo\n\nfour\n".utf8)
    Thread.detachNewThread {
      for start in stride(from: 0, to: text.count, by: size) {
        Self.say(String(decoding: text[start..<min(start + size, text.count)], as: UTF8.self), to: other)
      }
    }
    var lines: [String] = []
    for _ in 0..<4 { lines.append(String(decoding: try stream.next(bytesMax: 100), as: UTF8.self)) }
    #expect(lines == ["one", "two", "", "four"])
  }

  @Test
  func `lines are no longer than their limit, whether they end or not`() throws {
    for text in ["12345\n", "123456789"] {
      let (stream, other) = try Self.pair()
      defer { close(other) }
      Self.say(text, to: other)
      #expect(throws: LineStream.Failure.tooLong) { try stream.next(bytesMax: 4) }
    }
  }

  @Test
  func `lines end with the connection, inside a line too`() throws {
    let (stream, other) = try Self.pair()
    Self.say("whole\nhalf", to: other)
    close(other)
    #expect(try stream.next(bytesMax: 100) == Array("whole".utf8))
    #expect(throws: LineStream.Failure.ended) { try stream.next(bytesMax: 100) }
  }
}
