internal import GatewayCore
internal import GatewayRuntime

// The messages that pass a socket, and the messages that a fault holds back.

extension FaultySocket {
  enum Direction { case `in`, out }

  /// The maximum number of messages that wait for the next one.
  private static let heldMax = 64
  /// The waiting bytes of a slow reader above which late messages wait too.
  private static let waitingBytesMax = 64 << 10

  /// Handles a message according to its fate.
  func pass(_ frame: Frame, _ direction: Direction, _ fate: MessageFate?) -> SendOutcome {
    switch fate {
    case nil: return go(frame, direction, releasing: true)
    case .lost: return .sent
    case .late(let duration):
      book.keep(frame)
      book.after(duration) { [weak self, book] in
        guard let self else { return book.release(frame) }
        arrive(frame, direction)
      }
      return .sent
    case .twice:
      _ = go(frame, direction)
      return go(frame, direction)
    case .behindNext:
      switch direction {
      case .in where kept.heldIn.count < Self.heldMax: kept.heldIn.append(frame)
      case .out where kept.heldOut.count < Self.heldMax: kept.heldOut.append(frame)
      default: return go(frame, direction)
      }
      book.keep(frame)
      return .sent
    case .replaced(let other): return go(party.worded(other), direction)
    case .shortened(let life): return go(party.frame(frame, telling: life) ?? frame, direction, releasing: true)
    case .reworded(let message): return party.frame(of: message).map { go($0, direction) } ?? .sent
    }
  }

  /// Lets a message pass, and after it the messages that waited for the next one.
  func go(_ frame: Frame, _ direction: Direction, releasing: Bool = false) -> SendOutcome {
    guard let socket else { return .closed }
    guard isPassing else { return .sent }
    switch direction {
    case .in:
      frame.payload.withUnsafeBytes { party.socketReceived($0, frame.kind) }
      guard releasing else { return .sent }
      for frame in takeHeld(\.kept.heldIn) { frame.payload.withUnsafeBytes { party.socketReceived($0, frame.kind) } }
      return .sent
    case .out:
      var outcome = socket.send(frame)
      guard releasing else { return outcome }
      for frame in takeHeld(\.kept.heldOut) where outcome != .overflow { outcome = socket.send(frame) }
      return outcome
    }
  }

  private func takeHeld(_ line: ReferenceWritableKeyPath<FaultySocket, [Frame]>) -> [Frame] {
    let held = self[keyPath: line]
    guard !held.isEmpty else { return [] }
    self[keyPath: line] = []
    for frame in held { book.release(frame) }
    return held
  }

  // MARK: Late messages

  /// The delay of a message is over.
  private func arrive(_ frame: Frame, _ direction: Direction) {
    guard socket != nil, isPassing else { return book.release(frame) }
    switch direction {
    case .in: kept.lateIn.append(frame)
    case .out: kept.lateOut.append(frame)
    }
    release(direction)
  }

  /// Lets late messages go on in their order, as many as the reader takes.
  func release(_ direction: Direction) {
    var line: [Frame] = []
    switch direction {
    case .in: swap(&line, &kept.lateIn)
    case .out: swap(&line, &kept.lateOut)
    }
    guard !line.isEmpty else { return }
    var gone = 0
    while gone < line.count, mayGo(direction) {
      book.release(line[gone])
      _ = go(line[gone], direction)
      gone += 1
    }
    guard gone < line.count else { return }
    line.removeFirst(gone)
    guard socket != nil, isPassing else { return line.forEach(book.release) }
    switch direction {
    case .in: kept.lateIn = line + kept.lateIn
    case .out: kept.lateOut = line + kept.lateOut
    }
  }

  private func mayGo(_ direction: Direction) -> Bool {
    guard let socket else { return false }
    return direction == .in ? !isPaused : socket.waitingBytes <= Self.waitingBytesMax
  }

  /// Drops the held-back messages. A message that is still delayed is dropped at the end of its delay.
  func dropKept() {
    let kept = kept
    guard !kept.isEmpty else { return }
    for frame in kept.heldIn + kept.heldOut + kept.lateIn + kept.lateOut { book.release(frame) }
    self.kept = KeptFrames()
  }
}
