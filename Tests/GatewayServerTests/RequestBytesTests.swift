import GatewayCore
import TestTraits
import Testing

@testable import GatewayServer

/// The request parser must accept every byte from a stranger without a trap.
struct RequestBytesTests {
  private static let head =
    "POST /a%2Fb?c=d%26&e HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nContent-Length: 5\r\n"
    + "Sec-WebSocket-Protocol: a, b\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
  private static let chunks = "5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nA: b\r\n\r\nrest"

  private static func mutated(_ text: String, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 0..<6, using: &generator) {
      let index = Int.random(in: bytes.indices, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: index)
      case 2: bytes.insert([0x0a, 0x0d, 0x20, 0x3a, 0x00, 0x25].randomElement(using: &generator)!, at: index)
      default: bytes.append(contentsOf: bytes[index...])
      }
    }
    return bytes
  }

  /// Returns the bytes cut into pieces.
  private static func pieces(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(40, rest.count), using: &generator)
      pieces.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  /// Returns the result of parsing a head, and how many bytes it used.
  private static func read(_ pieces: [ArraySlice<UInt8>]) -> (step: HeadBuffer.Step, used: Int, reading: String) {
    var buffer = HeadBuffer(bytesMax: 400)
    var before = 0
    for piece in pieces {
      let step = piece.withUnsafeBytes { buffer.append($0) }
      if case .complete(let used) = step {
        let reading = RequestHead.read(buffer.bytes)
        let arrival = RequestArrival(reading, limits: ServerLimits())
        return (.complete(used: 0), before + used, "\(reading) \(arrival)")
      }
      if step == .tooLong { return (step, 0, "") }
      before += piece.count
    }
    return (.needsMore, before, "")
  }

  @Test(.long, arguments: 0..<16)
  func `a head is read the same however it is cut, whatever is in it`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<200 {
      let bytes = Self.mutated(Self.head, &generator)
      let whole = Self.read([bytes[...]])
      let cut = Self.read(Self.pieces(bytes, &generator))
      #expect(whole == cut, "\(bytes)")
    }
  }

  /// Returns what is read of a chunked body that is above its limit with the second chunk, and goes on without one. Its bytes are
  /// taken out after each piece.
  private static func readOn(_ pieces: [ArraySlice<UInt8>]) -> (step: RequestBody.Step, bytes: [UInt8], tooLong: Int?) {
    var body = RequestBody(.chunked, bytesMax: 7)
    var (before, bytes, tooLong): (Int, [UInt8], Int?) = (0, [], nil)
    for piece in pieces {
      var rest = piece
      var step = rest.withUnsafeBytes { body.append($0) }
      if step == .tooLong {
        let used = body.goOnWithoutLimit()
        tooLong = before + used
        before += used
        rest = rest.dropFirst(used)
        step = rest.withUnsafeBytes { body.append($0) }
      }
      if tooLong != nil { bytes += body.takeBytes() }
      switch step {
      case .needsMore: before += rest.count
      case .complete(let used): return (.complete(used: before + used), bytes + body.takeBytes(), tooLong)
      case .tooLong, .malformed: return (step, [], tooLong)
      }
    }
    return (.needsMore, bytes + body.takeBytes(), tooLong)
  }

  @Test(arguments: 0..<16)
  func `chunks above the limit are decoded on the same however they are cut, whatever is in them`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<200 {
      let bytes = Self.mutated(Self.chunks, &generator)
      #expect(Self.readOn([bytes[...]]) == Self.readOn(Self.pieces(bytes, &generator)), "\(bytes)")
    }
    let used = Self.chunks.utf8.count - "rest".utf8.count
    let whole = Self.readOn([Array(Self.chunks.utf8)[...]])
    #expect(whole == (.complete(used: used), Array("hello world".utf8), "5\r\nhello\r\n6;a=b\r\n".utf8.count))
  }

  @Test(arguments: 0..<16)
  func `chunks are decoded the same however they are cut, whatever is in them`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    func read(_ pieces: [ArraySlice<UInt8>]) -> (RequestBody.Step, [UInt8]) {
      var body = ChunkedBody(bytesMax: 100)
      var before = 0
      for piece in pieces {
        switch piece.withUnsafeBytes({ body.append($0) }) {
        case .complete(let used): return (.complete(used: before + used), body.bytes)
        case .needsMore: before += piece.count
        case let step: return (step, [])
        }
      }
      return (.needsMore, body.bytes)
    }
    for _ in 0..<200 {
      let bytes = Self.mutated(Self.chunks, &generator)
      #expect(read([bytes[...]]) == read(Self.pieces(bytes, &generator)), "\(bytes)")
    }
    let used = Self.chunks.utf8.count - "rest".utf8.count
    #expect(read([Array(Self.chunks.utf8)[...]]) == (.complete(used: used), Array("hello world".utf8)))
  }
}
