internal import GatewayCore
internal import GatewayRuntime
internal import GatewayWires

/// The lines of one proxied connection in the journal, and what is known of its login. Only on its loop.
struct ConnectionRecord {
  let journal: Journal
  /// The reader of its messages; nil for none.
  let eyes: (any ConnectionEyes)?
  private let id: ConnectionID
  private let wire: String
  private let askedAt: Instant
  private var openedAt: Instant?
  private var lastHeard: Instant
  /// The end that was reported to the client.
  private var toldEnd: JournalClose?
  private var hasEnded = false
  /// The number of the user in the journal; 0 for none.
  private var user: UInt32 = 0
  /// When the client was asked for another token; nil if it was not.
  private var requestedAt: Instant?
  /// Whether the last message of the gateway sends the client to another address.
  private(set) var isHandedOver = false
  /// The client's upgrade and its answer until the connection is open, for a recording; nil without one.
  private var upgrade: HTTPExchange?

  init(_ id: ConnectionID, in control: ProxyControl, reading eyes: (any ConnectionEyes)?) {
    (self.id, journal, wire, self.eyes) = (id, control.journal, control.wireName, eyes)
    askedAt = journal.loop.now
    lastHeard = askedAt
  }

  /// The gateway has accepted the client's upgrade.
  mutating func accepted(_ asked: HTTPRequest?, _ answer: HTTPResponse?) {
    if journal.isRecorded { upgrade = asked.map { HTTPExchange($0, answer) } }
  }

  /// The client's socket is open.
  mutating func opened() {
    let now = journal.loop.now
    (openedAt, lastHeard) = (now, now)
    if let upgrade { journal.note(upgrade) }
    upgrade = nil
    write(.connectionOpened(upstream: JournalDelay(now - askedAt)))
    guard let eyes else { return }
    if eyes.shown != nil { write(.loginAsked) }
    for sighting in eyes.opened() { tell(sighting, eyes) }
  }

  /// A message arrived from the client, or from the gateway. Returns its meaning.
  @discardableResult
  mutating func received(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, fromGateway: Bool
  ) -> JournalMessage {
    if !fromGateway { lastHeard = journal.loop.now }
    guard let eyes else {
      write(kind.meaning, payload, kind, isOut: fromGateway)
      return kind.meaning
    }
    let wall = journal.loop.wallTime
    let sightings = fromGateway ? eyes.fromGateway(payload, kind, at: wall) : eyes.fromClient(payload, kind, at: wall)
    let meaning = sightings.lazy.compactMap(Self.meaning).first ?? kind.meaning
    write(meaning, payload, kind, isOut: fromGateway)
    for sighting in sightings { tell(sighting, eyes) }
    if fromGateway { isHandedOver = sightings.contains(where: \.isHandover) }
    return meaning
  }

  /// A request over HTTP that renews the connection was answered.
  mutating func answered(_ request: RenewalSight, by response: HTTPResponse) {
    guard let eyes else { return }
    tell(eyes.answered(request, by: response, at: journal.loop.wallTime), eyes)
  }

  /// The gateway sends the client to a target of the proxy, or to an address that was left as it is.
  func handedOver(to target: String?, _ then: ReturnVerdict, failure: String = "") {
    guard !hasEnded else { return }
    journal.write(
      handover: target, failure: failure, then: then, by: id, user: user, dialect: BlindWire.number)
  }

  /// The proxy itself asks the client for another token, with this message.
  mutating func asks(_ frame: Frame) {
    frame.payload.withUnsafeBytes { write(.refreshRequired, $0, frame.kind, isOut: true) }
  }

  /// The proxy sends a message of the operator's.
  func said(_ frame: Frame, toGateway: Bool) {
    frame.payload.withUnsafeBytes { write(.said, $0, frame.kind, isOut: !toGateway) }
  }

  /// The client has been asked for another token.
  mutating func asked(_ cause: RefreshCause) {
    eyes?.asked()
    requestedAt = journal.loop.now
    write(.refreshRequested(cause))
  }

  func ordered(_ order: JournalEvent.Order) {
    if openedAt != nil, !hasEnded { write(.ordered(order)) }
  }

  /// Notes the end that was reported to the client, by the gateway or by the proxy. `other` is the close that a fault
  /// sent instead.
  mutating func told(_ reason: CloseReason, _ other: OtherClose?) {
    guard openedAt != nil, toldEnd == nil, !hasEnded else { return }
    let code = other?.reportedCode ?? reason.code
    let close = JournalClose(
      reason, code: code, isFaulted: other != nil, then: eyes?.then(atClose: code, other == nil ? reason.name : nil))
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
    journal.release(user)
  }

  // MARK: Lines

  private func write(_ event: JournalEvent) { journal.write(event, by: id, user: user, dialect: BlindWire.number) }

  private func write(
    _ meaning: JournalMessage, _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isOut: Bool
  ) {
    let bytes = UInt32(clamping: payload.count)
    journal.write(
      isOut ? .messageOut(meaning, nil, bytes: bytes) : .messageIn(meaning, nil, bytes: bytes), saying: payload, kind,
      by: id, user: user, dialect: BlindWire.number)
  }

  /// Returns the meaning as the journal has it; nil for a message that is not known.
  static func meaning(of sighting: WireEyes.Sighting) -> JournalMessage? {
    switch sighting {
    case .credentials: .credentials
    case .ping: .ping
    case .loggedIn: .connected
    case .loginRefused: .loginRefused
    case .asked: .refreshRequired
    case .refreshed: .refreshed
    case .refreshRefused, .error: .error
    case .goodbye: .closing
    case .alive: .pong
    case .step, .handover: .vendor
    case .unknown: nil
    }
  }

  /// Writes what a message means for the session.
  private mutating func tell(_ sighting: WireEyes.Sighting, _ eyes: any ConnectionEyes) {
    guard !hasEnded else { return }
    switch sighting {
    case .credentials(isRenewal: false): write(.loginAsked)
    case .loggedIn:
      if user == 0, let name = eyes.accepted?.user { user = journal.hold(name) }
      write(.loggedIn(grant(eyes), .regular))
    case .asked:
      requestedAt = journal.loop.now
      write(.refreshRequested(.expiry))
    case .refreshed:
      write(.refreshed(grant(eyes), after: JournalDelay(requestedAt.map { journal.loop.now - $0 })))
      requestedAt = nil
    case .loginRefused(let then): write(.loginRefused(Self.error(then)))
    case .refreshRefused(let then): write(.refreshRefused(Self.error(then)))
    case .credentials, .ping, .goodbye, .alive, .error, .step, .handover, .unknown: break
    }
  }

  private func grant(_ eyes: any ConnectionEyes) -> JournalGrant {
    let left = eyes.end.map { $0 - journal.loop.wallTime }
    return JournalGrant(eyes.accepted?.fingerprint, expiresAt: left.map { journal.loop.now + $0 } ?? .distantFuture)
  }

  /// Returns the error that has the same consequence for the client; the gateway's own is not Postern's.
  static func error(_ then: ReturnVerdict) -> JournalError {
    switch then {
    case .renew: JournalError(.tokenExpired)
    case .retry: JournalError(.overloaded)
    case .giveUp: JournalError(.notPermitted)
    }
  }

  // MARK: Known facts

  /// The login; nil if there is none, or if it is unknown.
  var facts: Connection.Facts? {
    guard let eyes, eyes.isLoggedIn else { return nil }
    return Connection.Facts(
      user: eyes.accepted?.user ?? UserID(""), kind: .regular, expiresIn: eyes.end.map { $0 - journal.loop.wallTime })
  }

  private var phase: String {
    guard toldEnd == nil else { return "closing" }
    guard let eyes else { return "open" }
    return !eyes.isLoggedIn ? "awaiting_credentials" : eyes.isRefreshing ? "refreshing" : "active"
  }

  /// Returns the connection for an operator; nil before its client is admitted and after it has left.
  func summary(peer: String) -> SessionSummary? {
    guard let openedAt, !hasEnded else { return nil }
    let now = journal.loop.now
    let user = eyes?.accepted?.user
    return SessionSummary(
      id: id, dialect: wire, phase: phase, user: user, kind: user.map { _ in .regular },
      fingerprint: eyes?.accepted?.fingerprint, expiresIn: facts?.expiresIn, age: now - openedAt,
      silence: now - lastHeard, calls: [], peer: peer)
  }
}

extension WireEyes.Sighting {
  fileprivate var isHandover: Bool { if case .handover = self { true } else { false } }
}
