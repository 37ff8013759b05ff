internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// A message that arrives in pieces, because it is in fragments or longer than the library's receive buffer.
final class MessageAssembly {
  var bytes: [UInt8] = []
  /// Whether it comes in several frames, between which the peer may have sent a ping.
  var isFragmented = false
  /// The validation of its text so far.
  var text = UTF8Follower()
}

extension WebSocketHandle {
  /// Receives a piece of a message. A whole message is passed on in place; others are assembled first.
  func received(_ piece: UnsafeRawBufferPointer) {
    guard phase == .open, let wsi else { return }
    let isFinal = lws_is_final_fragment(wsi) != 0
    let remaining = Int(lws_remaining_packet_payload(wsi))
    let announced = piece.count + remaining
    let before = assembly?.bytes.count ?? 0
    // The rest of the frame is announced, so the limit applies before it arrives.
    guard announced <= host.limits.messageBytesMax - before else { return violate(.messageTooBig) }
    let kind: Frame.Kind = lws_frame_is_binary(wsi) != 0 ? .binary : .text
    let isText = kind == .text && handler?.takesBytesAsText != true
    if isFinal && assembly == nil {
      guard !isText || UTF8Follower.isText(piece) else { return violate(.invalidPayload) }
      handler?.socketReceived(piece, kind)
      return
    }
    if assembly == nil { assembly = MessageAssembly() }
    if isText, let message = assembly {
      guard message.text.take(piece), !isFinal || message.text.isWhole else { return violate(.invalidPayload) }
    }
    assembly!.bytes.append(contentsOf: piece)
    if remaining == 0 && !isFinal { assembly!.isFragmented = true }
    guard isFinal, let message = assembly else { return }
    assembly = nil
    // The library sends the pong when the socket is writable; the answer to the message must not overtake it.
    isHoldingBack = message.isFragmented
    message.bytes.withUnsafeBytes { handler?.socketReceived($0, kind) }
    isHoldingBack = false
  }
}
