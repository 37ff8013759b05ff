internal import GatewayCore
internal import GatewayRuntime

/// The streamed body of a request, with the bytes of it that wait for the server.
///
/// `@unchecked Sendable`: used on one loop.
final class OutgoingBody: BodyPump, @unchecked Sendable {
  private static let roomBytes = 16 << 10
  private static let lastChunk: [UInt8] = Array("0\r\n\r\n".utf8)

  private let isChunked: Bool
  /// The bytes to send, from `sent` on.
  private var output: [UInt8] = []
  private var sent = 0
  /// Whether the source has ended.
  private var isWhole = false

  /// Creates the body of a request; nil if the request has no streamed body. Without a length it is sent in chunks.
  init?(of request: HTTPRequest) {
    guard let source = request.stream else { return nil }
    isChunked = request.header("content-length") == nil
    super.init(source)
  }

  var hasRoom: Bool { output.count - sent < Self.roomBytes }

  func add(_ piece: [UInt8]) {
    // An empty chunk would be the last one (RFC 9112 section 7.1).
    guard !piece.isEmpty else { return }
    if sent > 0 {
      output.removeFirst(sent)
      sent = 0
    }
    guard isChunked else {
      if output.isEmpty { output = piece } else { output += piece }
      return
    }
    output.reserveCapacity(output.count + piece.count + 16)
    output += String(piece.count, radix: 16).utf8
    output += [0x0d, 0x0a]
    output += piece
    output += [0x0d, 0x0a]
  }

  /// Notes that all pieces have been added.
  func end() {
    isWhole = true
    if isChunked { output += Self.lastChunk }
  }

  var hasOutput: Bool { sent < output.count }

  /// Whether the whole body was passed to the system.
  var isSent: Bool { isWhole && !hasOutput }

  /// Passes the waiting bytes to `move`, which returns how it went.
  func withOutput(_ move: (UnsafeRawBufferPointer) -> TLSClient.Step) -> TLSClient.Step {
    output.withUnsafeBytes { move(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
  }

  func note(sent count: Int) {
    sent += count
    guard !hasOutput else { return }
    output = []
    sent = 0
  }
}
