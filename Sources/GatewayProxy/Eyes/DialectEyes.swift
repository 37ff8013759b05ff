internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewayWires

/// The eyes of a built-in dialect: the vendor's dialect reads the client, its client's dialect reads the gateway.
///
/// `@unchecked Sendable`: used only on its connection's loop.
final class DialectEyes: ConnectionEyes, @unchecked Sendable {
  private let reader: WireReader
  private let renewal: RefreshHabit.How
  private let connection: ConnectionID
  private let conversation: (any Conversation)?
  private let memory: ClientMemory?
  /// The user that the upgrade names; nil for none.
  private let named: String?
  private var token: Credentials?
  private var phase = ClientPhase.opening
  /// What the gateway's last message means to the client, if it announces the end.
  private var announced: ReturnVerdict?
  /// The life that the gateway has reported for the next accepted token.
  private var life: Duration?
  private(set) var shown: WireEyes.Shown?
  private(set) var accepted: WireEyes.Shown?
  private(set) var end: WallTime?

  init(_ reader: WireReader, _ renewal: RefreshHabit.How, upgrade: HTTPRequest, _ connection: ConnectionID) {
    (self.reader, self.renewal, self.connection) = (reader, renewal, connection)
    conversation = reader.dialect.conversation(for: upgrade)
    memory = reader.client.memory(of: ClientIdentity(user: UserID("")))
    named = upgrade.parameter("user_id")
    if let credentials = try? reader.dialect.credentials(in: upgrade), !credentials.token.isEmpty { show(credentials) }
  }

  var isLoggedIn: Bool { phase == .live || phase == .refreshing }
  var isRefreshing: Bool { phase == .refreshing }

  func opened() -> [Sighting] {
    reader.client.habits.isLoggedInAtOpen ? [accept(at: WallTime(nanoseconds: 0))] : []
  }

  private func show(_ credentials: Credentials) {
    token = credentials
    shown = WireEyes.Shown(token: credentials.token, user: named)
  }

  private func accept(at now: WallTime) -> Sighting {
    let isRenewal = isLoggedIn
    accepted = shown ?? accepted
    end = life.map { now + $0 } ?? token.flatMap(reader.client.end) ?? accepted?.end
    (shown, life, phase) = (nil, nil, .live)
    return isRenewal ? .refreshed : .loggedIn
  }

  private func context(at now: WallTime) -> DialectContext {
    DialectContext(
      connection: connection, isLoggedIn: isLoggedIn, isAuthenticating: !isLoggedIn && shown != nil,
      expiresIn: end.map { $0 - now }, now: now)
  }

  // MARK: The client's messages

  func fromClient(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> [Sighting] {
    guard let conversation else { return [heard(decoded(payload, kind, at: now))] }
    return conversation.messages(in: payload).map { heard(conversation.decode($0, context(at: now))) }
  }

  func foresee(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> Sighting {
    let message = conversation.map { $0.foresee(payload, context(at: now)) } ?? decoded(payload, kind, at: now)
    return switch message {
    case .credentials: .credentials(isRenewal: isLoggedIn)
    case .ping: .ping
    case .command, .logout, nil: .unknown
    }
  }

  private func decoded(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime
  ) -> InboundMessage? {
    (try? reader.dialect.decode(payload, kind, context(at: now))) ?? nil
  }

  private func heard(_ message: InboundMessage?) -> Sighting {
    if phase == .opening { phase = .loggingIn }
    switch message {
    case .credentials(let credentials, _):
      let isRenewal = isLoggedIn
      show(credentials)
      if isRenewal { phase = .refreshing }
      return .credentials(isRenewal: isRenewal)
    case .ping: return .ping
    case .command, .logout, nil: return .unknown
    }
  }

  // MARK: The gateway's messages

  func fromGateway(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, at now: WallTime) -> [Sighting] {
    var sightings: [Sighting] = []
    let client = { [self] in
      (phase, ClientIdentity(user: accepted?.user ?? shown?.user ?? UserID(""), token: token, now: now))
        as (
          ClientPhase?, ClientIdentity
        )
    }
    reader.client.hear(payload, kind, by: client, memory) { notice in
      sightings.append(self.meaning(of: notice, at: now))
    }
    return sightings
  }

  private func meaning(of notice: ServerNotice?, at now: WallTime) -> Sighting {
    if case .closing = notice {} else { announced = nil }
    switch notice {
    case .connected: return accept(at: now)
    case .refreshed, .keyRenewed: return accept(at: now)
    case .pushed(let token):
      show(token)
      return accept(at: now)
    case .refreshRequired: return request()
    case .alive: return .alive
    case .tokenLife(let life):
      self.life = life
      return .unknown
    case .busy: return refused(.retry)
    case .error(let number, _): return refused(verdict(of: number))
    case .goodbye(let verdict, _):
      announced = verdict
      return isLoggedIn ? .goodbye : refused(verdict)
    case .sessionClosed:
      announced = .giveUp
      return isLoggedIn ? .goodbye : refused(.giveUp)
    case .closing: return .goodbye
    case .cue, .tokenCue: return .step
    case .remark, nil: return .unknown
    }
  }

  private func request() -> Sighting {
    if isLoggedIn { phase = .refreshing }
    return .asked
  }

  private func refused(_ then: ReturnVerdict) -> Sighting {
    guard isLoggedIn else {
      shown = nil
      return .loginRefused(then)
    }
    guard shown == nil else {
      (shown, phase) = (nil, .live)
      return .refreshRefused(then)
    }
    // If clients renew by reconnecting, the error of an expired token is the gateway's request.
    return renewal == .reconnect && then == .renew ? request() : .error
  }

  private func verdict(of number: Int) -> ReturnVerdict {
    guard let habit = reader.client.habits.comeback else { return .retry }
    if habit.finalErrors.contains(number) { return .giveUp }
    if habit.renewingErrors.contains(number) { return .renew }
    return habit.otherErrorsAreFinal ? .giveUp : .retry
  }

  // MARK: Ends

  func then(atClose code: UInt16, _ text: String?) -> ReturnVerdict? {
    if let announced { return announced }
    if isRefreshing, renewal == .reconnect { return .renew }
    return reader.client.habits.comeback?.verdict(of: Int(code), isHTTP: false, text, in: phase)?.verdict
  }

  func then(atStatus status: Int) -> ReturnVerdict? {
    reader.client.habits.comeback?.verdict(of: status, isHTTP: true, in: .opening)?.verdict
  }

  // MARK: Saying

  func telling(_ life: Duration, in payload: UnsafeRawBufferPointer, at now: WallTime) -> [UInt8]? { nil }

  func worded(_ frame: Frame) -> Frame { reader.dialect.worded(frame) }

  func handingOver(
    _ payload: UnsafeRawBufferPointer, at now: WallTime, to address: (String, ReturnVerdict) -> String?
  ) -> [UInt8]? { nil }

  var canRequest: Bool { !words(at: WallTime(nanoseconds: 0)).isEmpty || goodbye != nil }

  func request(at now: WallTime) -> [Frame] { isLoggedIn ? words(at: now) : [] }

  private func words(at now: WallTime) -> [Frame] {
    let message = OutboundMessage.refreshRequired(.expiry, timeout: .seconds(60))
    if let conversation { return conversation.encode(message, context(at: now)) }
    let context = context(at: now)
    return [reader.dialect.prelude(to: message, context), reader.dialect.encode(message, context)].compactMap(\.self)
  }

  func asked() { if isLoggedIn { phase = .refreshing } }

  var goodbye: CloseReason? { renewal == .reconnect ? reader.dialect.closeReason(for: .refreshTimeout) : nil }
}
