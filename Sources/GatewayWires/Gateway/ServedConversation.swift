internal import GatewayCore

/// The gateway's side of one connection of a described wire. It remembers values of earlier messages that answers
/// repeat, such as the `"id": 1` of a login.
///
/// `@unchecked Sendable`: like every conversation it is used only on its connection's loop.
final class ServedConversation: Conversation, @unchecked Sendable {
  private let served: ServedWire
  private let secrets: [String: String]
  /// What the gateway's connections have in common; nil for a reader.
  private let links: ServedLinks?
  /// The token so far, during a login in several steps.
  private var token: String?
  private(set) var user: String?
  private var rest: [UInt8] = []
  /// The latest numbers of the client's messages.
  private(set) var sent: [String?]
  /// The next part of a message that has several.
  private var expected: (message: Int, part: Int)?
  /// The message whose token is being verified.
  private var judged: Judged?
  /// The error with which the last token was refused.
  private var refusal: (of: Judged, error: GatewayError)?
  /// The values taken from the client's messages.
  private var heard: [String?]
  /// The values taken from each accepted login: a client may join several channels on one socket.
  private var rooms: [[String?]] = []
  private var number: UInt32 = 0
  /// The message that was foreseen last, so that it is read once.
  private var foreseen: (bytes: [UInt8], heard: Heard?)?
  var askedAt: Instant?
  /// The tokens that came by another way than the connection, and wait for the session's answer.
  private var expectedTokens = ExpectedTokens()
  /// The connection and its user, once they are known.
  private var connection: ConnectionID?
  private var kind = UserKind.regular
  /// The life that the client's token had left when it was accepted; nil for no end.
  private var acceptedLife: Duration?
  /// The name by which requests over HTTP find the connection, from the upgrade.
  private let upgradeName: String?

  /// The purpose of a token that is being verified.
  private enum Judged {
    case login, renewal
  }

  /// The maximum number of channels that are told of the end one by one.
  private static let roomsMax = 64

  /// A message of the client, and its values.
  private struct Heard {
    let message: Int
    let part: Int
    let bindings: Bindings
  }

  init(
    _ served: ServedWire, _ upgrade: Bindings, secrets: [String: String], links: ServedLinks? = nil
  ) {
    self.served = served
    self.links = links
    token = upgrade.token
    let naming = served.wire.renewing.request?.namingSlots ?? []
    upgradeName = upgrade.taken.first { naming.contains($0.slot) }?.value
    self.secrets = secrets
    sent = Array(repeating: nil, count: served.wire.messages.count)
    heard = Array(repeating: nil, count: served.wire.names.heardByGateway.count)
  }

  // MARK: Receiving

  func messages(in payload: UnsafeRawBufferPointer) -> [[UInt8]] {
    served.wire.frames.messages(in: payload, &rest, atMost: Self.messageMax)
  }

  /// The largest part of an unfinished message that is kept, in bytes: as much as a gateway accepts at once.
  private static let messageMax = 1 << 16

  func decode(_ message: [UInt8], _ context: DialectContext) -> InboundMessage? {
    let known = foreseen.flatMap { $0.bytes == message ? $0 : nil }
    foreseen = nil
    guard let heard = known.map(\.heard) ?? recognised(message) else { return nil }
    let parts = served.wire.messages[heard.message].parts.count
    expected = heard.part + 1 < parts ? (heard.message, heard.part + 1) : nil
    if let id = heard.bindings.id { sent[heard.message] = id }
    if !context.isLoggedIn, let name = heard.bindings.user { user = name }
    token = heard.bindings.token ?? token
    note(heard.bindings)
    let meaning = meaning(of: heard, context)
    if case .credentials = meaning {
      judged = context.isLoggedIn && heard.message == served.wire.renewal ? .renewal : .login
    }
    return meaning
  }

  private func note(_ bindings: Bindings) {
    for (slot, value) in bindings.heard where heard.indices.contains(slot) { heard[slot] = value }
  }

  func answer(to message: [UInt8], _ context: DialectContext) -> [Frame]? {
    // A message before the part that counts, or one that keeps the connection alive.
    if let known = recognised(message), served.needsNoAnswer(known.message) { return [] }
    let text = served.wire.frames.text(message)
    let isLoggedIn = context.isLoggedIn
    for answer in served.wire.serving.answers {
      guard let bindings = answer.match(text, isLoggedIn: isLoggedIn, holes(context)) else { continue }
      // Values of an earlier message are not part of this answer.
      let kept = heard
      for slot in answer.hearing.slots where heard.indices.contains(slot) { heard[slot] = nil }
      note(bindings)
      let frames = answer.says.map { frame($0, context) }
      heard = kept
      return frames.contains { $0 == nil } ? nil : frames.compactMap(\.self)
    }
    return nil
  }

  func foresee(_ payload: UnsafeRawBufferPointer, _ context: DialectContext) -> InboundMessage? {
    var kept = rest
    let messages = served.wire.frames.messages(in: payload, &kept, atMost: Self.messageMax)
    for message in messages {
      let heard = recognised(message)
      if messages.count == 1 { foreseen = (message, heard) }
      if let meaning = heard.flatMap({ self.meaning(of: $0, context) }) { return meaning }
    }
    return nil
  }

  /// Returns which of the client's messages it is; nil for one that is not described.
  private func recognised(_ bytes: [UInt8]) -> Heard? {
    let text = served.wire.frames.text(bytes)
    if let expected, let bindings = served.wire.messages[expected.message].parts[expected.part].pattern?.match(text) {
      return Heard(message: expected.message, part: expected.part, bindings: bindings)
    }
    for (number, message) in served.wire.messages.enumerated() {
      if let bindings = message.parts.first?.pattern?.match(text) {
        return Heard(message: number, part: 0, bindings: bindings)
      }
    }
    return nil
  }

  private func meaning(of heard: Heard, _ context: DialectContext) -> InboundMessage? {
    let message = served.wire.messages[heard.message]
    // The part with the token decides; of a message without one, the first part.
    guard heard.part == message.parts.firstIndex(where: \.saysToken) ?? 0 else { return nil }
    if context.isLoggedIn, heard.message == served.wire.renewal, message.saysToken {
      return .credentials(Credentials(token: heard.bindings.token ?? ""), request: nil)
    }
    if let step = served.chain.firstIndex(of: heard.message) {
      guard step + 1 == served.chain.count else { return .ping(request: RequestID("\(Self.stepMark)\(step + 1)")) }
      return .credentials(Credentials(token: heard.bindings.token ?? token ?? ""), request: nil)
    }
    if heard.message == served.wire.keepAlive?.message, let answer = served.answer {
      return .ping(request: RequestID("\(answer)"))
    }
    return nil
  }

  /// The prefix of the name of a ping that is a step of the login, which is answered in every phase.
  private static let stepMark = "step "

  // MARK: Sending

  func greeting(_ context: DialectContext) -> [Frame] {
    connection = context.connection
    if let upgradeName { links?.name(context.connection, upgradeName) }
    return say(served.words(aheadOf: 0), context)
  }

  // MARK: Tokens that come by another way

  func expect(_ token: Credentials, _ answer: @escaping @Sendable (GatewayError?) -> Void) -> RequestID? {
    expectedTokens.add(token, answer)
  }

  /// Returns the frames for the session's answer to a token that came by another way; nil for any other message.
  private func settle(_ message: OutboundMessage, _ context: DialectContext) -> [Frame]? {
    switch message {
    case .refreshed(let life, let request, _):
      guard let token = expectedTokens.settle(request, nil) else { return nil }
      acceptedLife = life
      return served.pushed.map { say($0, context, life: life, token: token.token) } ?? []
    case .error(let error, let request): return expectedTokens.settle(request, error).map { _ in [] }
    default: return nil
    }
  }

  func ended() {
    if let upgradeName, let connection { links?.forget(connection, upgradeName) }
    expectedTokens.end(with: .notFound)
  }

  /// Has the gateway mint the client's next token, unless its present one was revoked.
  private func push(_ cause: RefreshCause) {
    guard cause != .revocation, let connection, let user, let acceptedLife else { return }
    links?.push(connection, UserID(user), kind, life: acceptedLife)
  }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> [Frame] {
    if let frames = settle(message, context) { return frames }
    let judging = judged
    var (life, wait) = (context.expiresIn, Duration.zero)
    switch message {
    case .connected(_, let user, let kind, let expiresIn, _, _):
      self.user = user.rawValue
      (self.kind, acceptedLife) = (kind, expiresIn)
      life = expiresIn
      enter()
    case .refreshed(let expiresIn, _, _):
      life = expiresIn
      acceptedLife = expiresIn
      if judging == .login { enter() }
      judged = nil
    // The other token is still being verified.
    case .error(let error, _) where error.isSame(as: .alreadyInProgress): break
    case .error(let error, _), .loginRefused(let error, _):
      refusal = judging.map { ($0, error) }
      judged = nil
    case .refreshRequired(let cause, let timeout):
      if served.pushed != nil { push(cause) }
      wait = timeout
    case .pong(let request): return say(rule(answering: request), context)
    case .loggedOut: return served.wire.serving.end == .stay ? leave(context) : []
    case .closing: break
    }
    let rule = served.words(for: message, isRenewing: judging == .renewal, isLoggingIn: judging == .login)
    return say(rule, context, life: life, wait: wait)
  }

  func farewell(before reason: CloseReason, _ context: DialectContext) -> [Frame] {
    served.saysFarewell(before: reason) ? leave(context) : []
  }

  func closeReason(for reason: CloseReason) -> CloseReason? {
    guard let refusal else { return nil }
    let isRenewal = refusal.of == .renewal
    switch reason {
    case .tooManyFailures where isRenewal: break
    case .invalidToken where !isRenewal: break
    default: return nil
    }
    return served.code(for: refusal.error, isRenewal: isRenewal).flatMap {
      CloseReason(code: $0, name: refusal.error.name)
    }
  }

  /// Notes the channel of an accepted login.
  private func enter() {
    judged = nil
    guard rooms.count < Self.roomsMax, !rooms.contains(heard) else { return }
    rooms.append(heard)
  }

  /// Returns the goodbye on each channel.
  private func leave(_ context: DialectContext) -> [Frame] {
    let kept = heard
    defer { heard = kept }
    let left = served.repeatsGoodbye ? rooms : Array(rooms.prefix(1))
    rooms = []
    return left.flatMap { room in
      heard = room
      return say(served.over, context)
    }
  }

  func ping(_ context: DialectContext) -> [Frame] { say(served.ping, context) }

  private func rule(answering request: RequestID?) -> WireRule? {
    guard let text = request?.rawValue else { return nil }
    if text.hasPrefix(Self.stepMark) {
      return Int(text.dropFirst(Self.stepMark.count)).flatMap { served.words(aheadOf: $0) }
    }
    return Int(text).flatMap { served.rule($0) }
  }

  /// Returns the rule's own example and the messages after it; nothing if a value is missing.
  private func say(
    _ rule: WireRule?, _ context: DialectContext, life: Duration? = nil, wait: Duration = .zero, token: String? = nil
  ) -> [Frame] {
    guard let rule, let example = rule.example else { return [] }
    return ([example] + rule.further.map(\.template)).compactMap {
      frame($0, context, life: life, wait: wait, token: token)
    }
  }

  private func frame(
    _ template: Template, _ context: DialectContext, life: Duration? = nil, wait: Duration = .zero, token: String? = nil
  ) -> Frame? {
    number &+= 1
    let frames = served.wire.frames
    var bytes: [UInt8] = []
    do {
      try template.write(
        to: &bytes, from: holes(context, life: life, wait: wait, token: token),
        refusing: frames.end.isEmpty ? frames.split : frames.end)
    } catch {
      return nil
    }
    return frames.encoded(bytes, frames.kind).map { Frame(frames.kind, $0) }
  }

  private func holes(
    _ context: DialectContext, life: Duration? = nil, wait: Duration = .zero, token: String? = nil
  ) -> ServedHoles {
    ServedHoles(
      context: context, user: user, sent: sent, heard: heard, values: served.wire.serving.values, secrets: secrets,
      number: number, life: life ?? context.expiresIn, wait: wait, token: token)
  }
}
