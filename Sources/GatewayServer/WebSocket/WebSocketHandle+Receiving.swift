internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime

/// A message that arrives in pieces: in fragments, or above the library's receive buffer.
final class MessageAssembly {
  var bytes: [UInt8] = []
}

extension WebSocketHandle {
  /// A piece of a message. One that is whole is handed on where it lies; others are put together first.
  func received(_ piece: UnsafeRawBufferPointer) {
    guard phase == .open, let wsi else { return }
    let isFinal = lws_is_final_fragment(wsi) != 0
    let announced = piece.count + Int(lws_remaining_packet_payload(wsi))
    let before = assembly?.bytes.count ?? 0
    // The rest of the frame is announced, so the limit holds before it arrives.
    guard announced <= host.limits.messageBytesMax - before else { return violate(.messageTooBig) }
    let kind: Frame.Kind = lws_frame_is_binary(wsi) != 0 ? .binary : .text
    if isFinal && assembly == nil {
      handler?.socketReceived(piece, kind)
      return
    }
    if assembly == nil { assembly = MessageAssembly() }
    assembly!.bytes.append(contentsOf: piece)
    guard isFinal, let message = assembly else { return }
    assembly = nil
    message.bytes.withUnsafeBytes { handler?.socketReceived($0, kind) }
  }
}
