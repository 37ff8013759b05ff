internal import GatewayCore
internal import GatewayRuntime

// Received frames.

extension DialledSocket {
  /// Receives a piece of the stream. Whole frames are passed on in place; the rest waits for more bytes.
  func takeFrames(_ bytes: UnsafeRawBufferPointer) {
    guard !unread.isEmpty else {
      let taken = handOn(bytes)
      if taken < bytes.count { unread = Array(bytes[taken...]) }
      return keepOnlyWanted()
    }
    var all: [UInt8] = []
    swap(&all, &unread)
    all.append(contentsOf: bytes)
    let taken = all.withUnsafeBytes { handOn($0) }
    if taken < all.count {
      all.removeFirst(taken)
      unread = all
    }
    keepOnlyWanted()
  }

  private func keepOnlyWanted() {
    if phase != .open && phase != .closing { unread = [] }
  }

  /// Passes on the whole frames. Returns how many bytes they have.
  private func handOn(_ bytes: UnsafeRawBufferPointer) -> Int {
    var start = 0
    while takesFrames, start < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      switch ClientFrame.read(rest) {
      case .needsMore: return start
      case .invalid:
        violate(.protocolError)
        return bytes.count
      case .head(let head):
        // The rest of the frame is announced, so the limit applies before it arrives.
        guard head.payloadBytes <= limits.messageBytesMax - (head.opcode.isControl ? 0 : message?.bytes.count ?? 0)
        else {
          violate(.messageTooBig)
          return bytes.count
        }
        let end = head.headBytes + head.payloadBytes
        guard rest.count >= end else { return start }
        start += end
        take(head, UnsafeRawBufferPointer(rebasing: rest[head.headBytes..<end]))
      }
    }
    return start
  }

  private func take(_ head: ClientFrame, _ payload: UnsafeRawBufferPointer) {
    switch head.opcode {
    case .text, .binary:
      guard message == nil else { return violate(.protocolError) }
      let kind: Frame.Kind = head.opcode == .text ? .text : .binary
      if head.isFinal { tell(payload, kind) } else { message = (kind, Array(payload)) }
    case .continuation:
      guard message != nil else { return violate(.protocolError) }
      message?.bytes.append(contentsOf: payload)
      guard head.isFinal, let whole = message else { return }
      message = nil
      whole.bytes.withUnsafeBytes { tell($0, whole.kind) }
    case .ping:
      guard phase == .open else { return }
      if answersPings { pong(payload) }
      if phase == .open {
        handler?.socketReceivedPing(answersPings ? UnsafeRawBufferPointer(start: nil, count: 0) : payload)
      }
    case .pong:
      if phase == .open { handler?.socketReceivedPong(payload) }
    case .close:
      guard payload.count != 1 else { return violate(.protocolError) }
      peerCloses(payload)
    }
  }

  private func tell(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    guard phase == .open else { return }
    guard kind == .binary || handler?.takesBytesAsText == true || UTF8Follower.isText(payload) else {
      return violate(.invalidPayload)
    }
    handler?.socketReceived(payload, kind)
  }
}
