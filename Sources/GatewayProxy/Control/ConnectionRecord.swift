internal import GatewayCore
internal import GatewayRuntime

/// The lines of one proxied connection in the journal. Only on its loop.
struct ConnectionRecord {
  let journal: Journal
  private let id: ConnectionID
  private let askedAt: Instant
  private var openedAt: Instant?
  private(set) var lastHeard: Instant
  /// The end that the client was told.
  private var toldEnd: JournalClose?
  private var hasEnded = false

  init(_ id: ConnectionID, in journal: Journal) {
    (self.id, self.journal) = (id, journal)
    askedAt = journal.loop.now
    lastHeard = askedAt
  }

  /// The client's socket is open.
  mutating func opened() {
    let now = journal.loop.now
    (openedAt, lastHeard) = (now, now)
    write(.connectionOpened(upstream: JournalDelay(now - askedAt)))
  }

  /// A message arrived from the client, or from the gateway.
  mutating func received(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, fromGateway: Bool) {
    let bytes = UInt32(clamping: payload.count)
    if !fromGateway { lastHeard = journal.loop.now }
    journal.write(
      fromGateway ? .messageOut(kind.meaning, nil, bytes: bytes) : .messageIn(kind.meaning, nil, bytes: bytes),
      saying: payload, kind, by: id, user: 0, dialect: BlindWire.number)
  }

  func ordered(_ order: JournalEvent.Order) {
    if openedAt != nil, !hasEnded { write(.ordered(order)) }
  }

  /// The client was told the end, by the gateway or by the proxy. `other` is what a fault made of it.
  mutating func told(_ reason: CloseReason, _ other: OtherClose?) {
    guard openedAt != nil, toldEnd == nil, !hasEnded else { return }
    let close = JournalClose(reason, code: other?.reportedCode ?? reason.code, isFaulted: other != nil)
    toldEnd = close
    write(.cutOff(close))
  }

  /// The client's socket has ended, with the code of its own close frame if it sent one.
  mutating func ended(_ peerCode: UInt16?) {
    guard openedAt != nil, !hasEnded else { return }
    hasEnded = true
    if let toldEnd {
      write(.closed(toldEnd, by: .gateway))
    } else if let peerCode {
      write(.closed(JournalClose(.peerClosed, code: peerCode), by: .peer))
    } else {
      write(.closed(JournalClose(.connectionLost, code: CloseReason.connectionLost.code), by: .transport))
    }
  }

  private func write(_ event: JournalEvent) { journal.write(event, by: id, dialect: BlindWire.number) }

  /// Returns the connection for an operator; nil before its client is let in and after it has left.
  func summary(peer: String) -> SessionSummary? {
    guard let openedAt, !hasEnded else { return nil }
    let now = journal.loop.now
    return SessionSummary(
      id: id, dialect: BlindWire.name, phase: toldEnd == nil ? "open" : "closing", age: now - openedAt,
      silence: now - lastHeard, calls: [], peer: peer)
  }
}
