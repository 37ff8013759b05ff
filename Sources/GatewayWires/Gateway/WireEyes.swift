package import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// A reader of both directions of one connection between a client and a gateway of another maker. Changes nothing.
///
/// It recognises the client's messages as a gateway does that plays the description, and the gateway's as a client does.
///
/// `@unchecked Sendable`: used only on its connection's loop.
package final class WireEyes: @unchecked Sendable {
  /// The meaning of a message.
  package enum Sighting: Hashable, Sendable {
    /// The client shows a token: to log in, or to renew.
    case credentials(isRenewal: Bool)
    case ping
    case loggedIn
    case loginRefused(ReturnVerdict)
    case asked
    case refreshed
    case refreshRefused(ReturnVerdict)
    case goodbye
    case alive
    case error
    /// The gateway sends the client to another address.
    case handover(ReturnVerdict)
    /// Part of a login.
    case step
    case unknown
  }

  /// A token that was shown, without the token.
  package struct Shown: Hashable, Sendable {
    package let fingerprint: TokenFingerprint
    /// The user that the message or the token names; nil for none.
    package let user: UserID?
    /// The end that the token states.
    package let end: WallTime?

    private static let nameMax = 256

    /// Notes a token, and the user that the message names; without one, the user of the token's `sub` or `user_id`.
    package init(token: String, user: String?) {
      let payload = try? UnverifiedToken(token).payload
      let name = user ?? payload.flatMap(Self.user)
      fingerprint = TokenFingerprint(of: token)
      self.user = name.map { UserID(String($0.prefix(Self.nameMax))) }
      end = payload?[member: "exp"]?.number.flatMap { (0...1e11).contains($0) ? WallTime(seconds: $0) : nil }
    }

    private static func user(in payload: JSONView) -> String? {
      ["sub", "user_id"].lazy.compactMap { payload[member: $0]?.string }.first { !$0.isEmpty }
    }
  }

  let served: ServedWire
  let conversation: ServedConversation
  private let connection: ConnectionID
  let memory: ClientMemory
  /// The values of the gateway's that the upgrade showed, by the slots of their names.
  let upgradeNames: [(slot: Int, value: String)]
  private var rest: [UInt8] = []
  private(set) var token: String?
  private(set) var phase = ClientPhase.opening
  private var pending: Shown?
  /// What the gateway's last message means to the client, if it announces the end.
  private var announced: ReturnVerdict?
  /// The accepted token; nil before the login.
  package private(set) var accepted: Shown?
  /// When the accepted token ends, by the gateway's words or its own; nil for never or not known.
  package private(set) var end: WallTime?

  /// The largest part of an unfinished message that is kept, and the longest token.
  static let bytesMax = 1 << 16

  init(_ served: ServedWire, _ conversation: ServedConversation, upgrade: HTTPRequest, _ connection: ConnectionID) {
    self.served = served
    self.conversation = conversation
    self.connection = connection
    memory = ClientMemory(taken: served.wire.names.taken.count, sent: 0)
    let bindings = served.bindings(in: upgrade)
    upgradeNames = bindings.taken
    if let token = bindings.token { show(token) }
  }

  var wire: WireDescription { served.wire }

  /// Whether the login has been accepted.
  package var isLoggedIn: Bool { phase == .live || phase == .refreshing }

  /// Whether the gateway waits for another token.
  package var isRefreshing: Bool { phase == .refreshing }

  /// How the wire renews.
  package var renewal: RefreshHabit.How { wire.habits.refresh.how }

  /// The token that was shown and not been judged, e.g. in the upgrade; nil for none.
  package var shown: Shown? { pending }

  /// Notes that the connection is open, which is the login on some wires.
  package func opened() -> [Sighting] {
    guard wire.habits.isLoggedInAtOpen else { return [] }
    return [accept(life: nil, at: WallTime(nanoseconds: 0))]
  }

  func show(_ token: String) {
    self.token = token.utf8.count <= Self.bytesMax ? token : nil
    pending = Shown(token: token, user: conversation.user)
  }

  /// Notes a refused renewal.
  func refused(_ then: ReturnVerdict) -> Sighting {
    pending = nil
    phase = .live
    return .refreshRefused(then)
  }

  func accept(life: Duration?, at now: WallTime) -> Sighting {
    let isRenewal = isLoggedIn
    accepted = pending ?? accepted
    end = life.map { now + $0 } ?? accepted?.end
    pending = nil
    phase = .live
    return isRenewal ? .refreshed : .loggedIn
  }

  private func context(at now: WallTime) -> DialectContext {
    DialectContext(connection: connection, isLoggedIn: isLoggedIn, expiresIn: end.map { $0 - now }, now: now)
  }

  // MARK: The client's messages

  /// Returns the meanings of the messages in a payload of the client.
  package func fromClient(_ payload: UnsafeRawBufferPointer, at now: WallTime) -> [Sighting] {
    conversation.messages(in: payload).flatMap { fromClient($0, at: now) }
  }

  private func fromClient(_ message: [UInt8], at now: WallTime) -> [Sighting] {
    let decoded = conversation.decode(message, context(at: now))
    if phase == .opening { phase = .loggingIn }
    switch decoded {
    case .credentials(let credentials, _):
      let isRenewal = isLoggedIn
      show(credentials.token)
      if isRenewal { phase = .refreshing }
      guard isRenewal, wire.habits.refresh.isProvenBySurvival else { return [.credentials(isRenewal: isRenewal)] }
      return [.credentials(isRenewal: true), accept(life: nil, at: now)]
    case .ping: return [.ping]
    case .command, .logout, nil: return [.unknown]
    }
  }

  /// Returns the meaning of a payload of the client that has not been read yet. Changes no state.
  package func foresee(_ payload: UnsafeRawBufferPointer, at now: WallTime) -> Sighting {
    switch conversation.foresee(payload, context(at: now)) {
    case .credentials: .credentials(isRenewal: isLoggedIn)
    case .ping: .ping
    case .command, .logout, nil: .unknown
    }
  }

  // MARK: The gateway's messages

  /// Returns the meanings of the messages in a payload of the gateway.
  package func fromGateway(_ payload: UnsafeRawBufferPointer, at now: WallTime) -> [Sighting] {
    wire.frames.messages(in: payload, &rest, atMost: Self.bytesMax).map { fromGateway($0, at: now) }
  }

  private func fromGateway(_ message: [UInt8], at now: WallTime) -> Sighting {
    announced = nil
    let text = wire.frames.text(message)
    let user = pending?.user ?? accepted?.user
    let holes = seenHoles
    guard let rule = wire.rules.first(where: { $0.phases.contains(phase) && $0.condition.holds(for: text, holes) })
    else { return .unknown }
    let client = ClientIdentity(user: user ?? UserID(""), token: token.map { Credentials(token: $0) }, now: now)
    let taken = Taken(rule, from: text, into: memory, of: client)
    switch rule.verdict {
    case .step: return .step
    case .ignore: return .unknown
    case .alive: return .alive
    case .error: return .error
    case .handover: return .handover(rule.then)
    case .ask:
      phase = .refreshing
      return .asked
    case .loggedIn, .refreshed:
      // A second login on a connection, e.g. to another channel, is none if no token was shown.
      guard pending != nil || !isLoggedIn else { return .step }
      return accept(life: taken.life, at: now)
    case .loginRefused, .goodbye:
      announced = rule.then
      guard !isLoggedIn else { return .goodbye }
      pending = nil
      return .loginRefused(rule.then)
    case .refreshRefused: return refused(rule.then)
    case .pushed:
      guard isLoggedIn, let token = taken.token else { return .unknown }
      show(token)
      return accept(life: taken.life, at: now)
    }
  }

  // MARK: Ends

  /// Returns what a close with that code and text means to the client now; nil if the wire says nothing of ends. A client obeys
  /// the message that announced the close.
  package func then(atClose code: UInt16, _ text: String?) -> ReturnVerdict? {
    announced
      ?? wire.habits.comeback?.verdict(of: Int(code), isHTTP: false, text, in: phase)?.verdict
  }

  /// Returns what it means to the client that its upgrade is refused; nil if the wire says nothing of that.
  package func then(atStatus status: Int) -> ReturnVerdict? {
    wire.habits.comeback?.verdict(of: status, isHTTP: true, in: .opening)?.verdict
  }

  // MARK: Saying

  /// Whether the gateway has words that ask a client for another token, or end it for want of one.
  package var canRequest: Bool {
    switch renewal {
    case .asked, .http:
      served.words(for: .refreshRequired(.expiry, timeout: .zero), isRenewing: false, isLoggingIn: false) != nil
    case .reconnect: served.over?.example != nil || goodbye != nil
    case .timer, .pushed, .none: false
    }
  }

  /// Returns the gateway's own request for another token, or its goodbye where clients renew by coming back; empty if the wire
  /// has none.
  package func request(at now: WallTime) -> [Frame] {
    guard isLoggedIn else { return [] }
    return conversation.encode(.refreshRequired(.expiry, timeout: .seconds(60)), context(at: now))
  }

  /// Notes that the client was asked for another token.
  package func asked() { if isLoggedIn { phase = .refreshing } }

  /// The close by which the gateway ends an expired token where clients renew by coming back; nil for none.
  package var goodbye: CloseReason? {
    guard renewal == .reconnect else { return nil }
    return served.code(for: .refreshTimeout).flatMap { CloseReason(code: $0, name: CloseReason.refreshTimeout.name) }
  }
}

extension ServedDialect {
  /// Whether a gateway of this wire asks its clients for tokens, or ends their connections for want of one.
  package var asksForTokens: Bool { served.asksClients || served.wire.habits.refresh.how == .reconnect }

  /// Returns the reader of a connection whose client has sent this upgrade.
  package func eyes(for upgrade: HTTPRequest, _ connection: ConnectionID) -> WireEyes {
    WireEyes(
      served, ServedConversation(served, served.bindings(in: upgrade), secrets: [:]), upgrade: upgrade, connection)
  }
}
