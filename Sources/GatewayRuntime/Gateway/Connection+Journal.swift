internal import GatewayCore

// The lines of a connection in the journal. Used only where there is one.

extension Connection {
  enum Direction { case `in`, out }

  /// Records a message in the journal.
  func journal(
    _ direction: Direction, _ message: JournalMessage, _ error: GatewayError?, _ payload: UnsafeRawBufferPointer,
    _ kind: Frame.Kind
  ) {
    let (error, bytes) = (error.map { JournalError($0) }, UInt32(clamping: payload.count))
    let event: JournalEvent =
      switch direction {
      case .in: .messageIn(message, error, bytes: bytes)
      case .out: .messageOut(message, error, bytes: bytes)
      }
    table.journal?.write(event, saying: payload, kind, by: id, user: journalUser, dialect: bindingNumber)
  }

  func journal(_ record: SessionRecord) {
    let grant = standing.grant
    if record == .refreshRequested(.expiry), grant?.expiresAt ?? .zero <= table.loop.now { journal(.tokenExpired) }
    if case .ended(let reason) = record {
      journalEnd(reason)
    } else if let event = record.journalEvent(of: grant) {
      journal(event)
    }
  }

  /// The gateway has closed the connection with the code of `words`, unless a fault has made another of it.
  func journalCutOff(_ reason: CloseReason, in words: CloseReason) {
    guard table.journal != nil else { return }
    journal(.cutOff(close(reason, in: words)))
  }

  /// Returns the close that the peer receives, or the one that a fault sent instead.
  private func close(_ reason: CloseReason, in words: CloseReason) -> JournalClose {
    let other = socket?.otherClose
    let code = other?.reportedCode ?? words.code
    return JournalClose(
      reason, code: code, isFaulted: other != nil,
      then: dialect.meaning(ofClose: code, other == nil ? words.name : nil))
  }

  private func journalEnd(_ reason: CloseReason) {
    switch reason {
    case .peerClosed: journal(.closed(JournalClose(reason, code: peerCode ?? reason.code), by: .peer))
    case .connectionLost: journal(.closed(JournalClose(reason, code: reason.code), by: .transport))
    default:
      journal(.closed(close(reason, in: closeWords(for: reason)), by: .gateway))
    }
  }
}
