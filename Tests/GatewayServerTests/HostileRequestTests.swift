import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewayServer

struct HostileRequestTests {
  /// Returns the result of the bytes in these pieces, as text.
  private func read(_ bytes: [UInt8], pieces: () -> Int) -> String {
    var rest = bytes[...]
    var head = HeadBuffer(bytesMax: 8192)
    func take<Step>(_ append: (UnsafeRawBufferPointer) -> Step) -> (step: Step, count: Int) {
      let piece = Array(rest.prefix(pieces()))
      rest = rest.dropFirst(piece.count)
      return (piece.withUnsafeBytes(append), piece.count)
    }
    while !rest.isEmpty {
      let (step, count) = take { head.append($0) }
      switch step {
      case .needsMore: continue
      case .malformed, .tooLong: return "\(step)"
      case .complete(let used): rest = bytes[(rest.startIndex - count + used)...]
      }
      switch RequestArrival(RequestHead.read(head.bytes), limits: ServerLimits()) {
      case .upgrade(let request): return "upgrade \(request.path)"
      case .tooLarge: return "too large"
      case .refused(let response, _): return "\(response.status)"
      case .request(let request, let framing, _, _, _):
        if case .length(0) = framing { return "\(request)" }
        var body = RequestBody(framing, bytesMax: ServerLimits().bodyBytesMax)
        while !rest.isEmpty {
          let (step, _) = take { body.append($0) }
          switch step {
          case .needsMore: continue
          case .complete: return "\(request) \(body.bytes)"
          case .tooLong, .malformed: return "\(step)"
          }
        }
        return "a part of a body"
      }
    }
    return "a part of a head"
  }

  @Test(.long)
  func `a hostile request traps no reader and is read the same in whatever pieces it comes`() {
    var source = HostileBytes(
      seed: 6,
      examples: [
        "GET /v1/connect?a=b HTTP/1.1\r\nHost: example.org:80\r\n\r\n",
        "POST /v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nX: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        "OPTIONS * HTTP/1.0\r\n\r\n", "GET http://[::1]:8080/a HTTP/1.1\nHost: b\n\n",
      ], words: ["Content-Length", "Transfer-Encoding: chunked\r\n", "chunked", "HTTP/1.1", "0\r\n\r\n", "Expect"])
    var whole = 0
    for _ in 0..<3_000 {
      let bytes = source.next()
      let once = read(bytes) { bytes.count }
      let again = read(bytes) { 1 + source.below(9) }
      #expect(once == again, "\(String(decoding: bytes, as: UTF8.self))")
      if once.contains("HTTPRequest") { whole += 1 }
    }
    #expect(whole > 300)
  }

  @Test(.long)
  func `a hostile answer to an upgrade traps no reader and opens a socket only with the key's own accept`() {
    let accept = UpgradeAnswer.accept(for: Array("dGhlIHNhbXBsZSBub25jZQ==".utf8))
    let good =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(String(decoding: accept, as: UTF8.self))\r\nSec-WebSocket-Protocol: a\r\n\r\n"
    var source = HostileBytes(
      seed: 7, examples: [good, "HTTP/1.1 100 Continue\r\n\r\n" + good, "HTTP/1.1 503 No\r\nRetry-After: 5\r\n\r\n"],
      words: ["Sec-WebSocket-Extensions: x\r\n", "Upgrade", "\r\n\r\n", "101", "100"])
    var opened = 0
    for _ in 0..<6_000 {
      let bytes = source.next()
      let answer = bytes.withUnsafeBytes { UpgradeAnswer.read($0, accept: accept, offered: ["a", "b"]) }
      guard case .open(let start) = answer else { continue }
      opened += 1
      #expect(start <= bytes.count)
      #expect(String(decoding: bytes, as: UTF8.self).contains(String(decoding: accept, as: UTF8.self)))
    }
    #expect(opened > 300)
  }

  @Test
  func `a hostile frame traps no reader, and its head and payload never exceed what a length can express`() {
    var source = HostileBytes(seed: 8, examples: ["x"])
    let lengths: [[UInt8]] = [
      [0], [5], [125], [126, 0, 5], [126, 255, 255], [127, 0, 0, 0, 0, 0, 0, 0, 5],
      [127, 127] + Array(repeating: 255, count: 7),
      [127, 128, 0, 0, 0, 0, 0, 0, 0], [127] + Array(repeating: 255, count: 8), [127, 0, 0, 0, 1], [254], [255, 1],
    ]
    for _ in 0..<20_000 {
      let bytes =
        [UInt8(source.below(256))] + lengths[source.below(lengths.count)] + Array(repeating: 7, count: source.below(8))
      switch bytes.withUnsafeBytes({ ClientFrame.read($0) }) {
      case .needsMore, .invalid: break
      case .head(let frame):
        #expect(frame.headBytes >= 2 && frame.headBytes <= 10 && frame.payloadBytes >= 0)
        #expect(!frame.opcode.isControl || frame.payloadBytes <= 125)
        #expect(
          frame.headBytes.addingReportingOverflow(frame.payloadBytes).overflow
            == (frame.payloadBytes > .max - frame.headBytes))
      }
    }
  }
}
