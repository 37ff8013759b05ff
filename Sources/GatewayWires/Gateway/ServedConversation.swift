internal import GatewayCore

/// The gateway's side of one connection of a described wire: what it has heard, and under which numbers; the `"id": 1`
/// of a login, for instance, which the answer repeats.
///
/// `@unchecked Sendable`: as every conversation, touched only on the loop of its connection.
final class ServedConversation: Conversation, @unchecked Sendable {
  private let served: ServedWire
  private let secrets: [String: String]
  /// The token that has come so far, of a login of several steps.
  private var token: String?
  private var user: String?
  private var rest: [UInt8] = []
  /// The numbers under which messages were heard last.
  private var sent: [String?]
  /// The part of a message of several that is to come next.
  private var expected: (message: Int, part: Int)?
  /// The message whose token is being judged.
  private var judged: Judged?
  /// The error with which the last token was refused.
  private var refusal: (of: Judged, error: GatewayError)?
  /// What was taken from the client's messages.
  private var heard: [String?]
  /// What was taken from each login that was accepted: a client may be in several channels of one socket.
  private var rooms: [[String?]] = []
  private var number: UInt32 = 0
  var askedAt: Instant?

  /// The purpose of a token that is being judged.
  private enum Judged {
    case login, renewal
  }

  /// Channels beyond so many are not told of the end one by one.
  private static let roomsMax = 64

  /// A message of the client's, and what stood in it.
  private struct Heard {
    let message: Int
    let part: Int
    let bindings: Bindings
  }

  init(_ served: ServedWire, token: String?, secrets: [String: String]) {
    self.served = served
    self.token = token
    self.secrets = secrets
    sent = Array(repeating: nil, count: served.wire.messages.count)
    heard = Array(repeating: nil, count: served.wire.names.heardByGateway.count)
  }

  // MARK: Hearing

  func messages(in payload: UnsafeRawBufferPointer) -> [[UInt8]] {
    served.wire.frames.messages(in: payload, &rest, atMost: Self.messageMax)
  }

  /// What of a message is kept until its end comes, in bytes: as much as a gateway takes at once.
  private static let messageMax = 1 << 16

  func decode(_ message: [UInt8], _ context: DialectContext) -> InboundMessage? {
    guard let heard = recognised(message) else { return nil }
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
    // What is said ahead of the part that counts, or to keep the connection alive.
    if let known = recognised(message), served.needsNoAnswer(known.message) { return [] }
    let text = WireText(message)
    let isLoggedIn = context.isLoggedIn
    for answer in served.wire.serving.answers {
      guard let bindings = answer.match(text, isLoggedIn: isLoggedIn, holes(context)) else { continue }
      // What an earlier message said does not answer this one.
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
    return messages.lazy.compactMap { self.recognised($0).flatMap { self.meaning(of: $0, context) } }.first
  }

  /// Which of the client's messages it is; nil for one that nobody described.
  private func recognised(_ bytes: [UInt8]) -> Heard? {
    let text = WireText(bytes)
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
    // The part that has the token says all; of a message without one, the first.
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

  /// What the name of a ping begins with that is a step of the login, which any phase answers.
  private static let stepMark = "step "

  // MARK: Speaking

  func greeting(_ context: DialectContext) -> [Frame] {
    say(served.words(aheadOf: 0), context)
  }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> [Frame] {
    let judging = judged
    var (life, wait) = (context.expiresIn, Duration.zero)
    switch message {
    case .connected(_, let user, _, let expiresIn, _, _):
      self.user = user.rawValue
      life = expiresIn
      enter()
    case .refreshed(let expiresIn, _, _):
      life = expiresIn
      if judging == .login { enter() }
      judged = nil
    // The other token is still being judged.
    case .error(let error, _) where error.isSame(as: .alreadyInProgress): break
    case .error(let error, _), .loginRefused(let error, _):
      refusal = judging.map { ($0, error) }
      judged = nil
    case .refreshRequired(_, let timeout): wait = timeout
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

  /// Notes the channel of a login that was accepted.
  private func enter() {
    judged = nil
    guard rooms.count < Self.roomsMax, !rooms.contains(heard) else { return }
    rooms.append(heard)
  }

  /// The goodbye, on each channel.
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

  /// The rule's own example, and what follows it; nothing where a hole cannot be filled.
  private func say(
    _ rule: WireRule?, _ context: DialectContext, life: Duration? = nil, wait: Duration = .zero
  ) -> [Frame] {
    guard let rule, let example = rule.example else { return [] }
    return ([example] + rule.further.map(\.template)).compactMap { frame($0, context, life: life, wait: wait) }
  }

  private func frame(
    _ template: Template, _ context: DialectContext, life: Duration? = nil, wait: Duration = .zero
  ) -> Frame? {
    number &+= 1
    let frames = served.wire.frames
    var bytes: [UInt8] = []
    do {
      try template.write(
        to: &bytes, from: holes(context, life: life, wait: wait),
        refusing: frames.end.isEmpty ? frames.split : frames.end)
    } catch {
      return nil
    }
    return Frame(frames.kind, bytes + frames.end)
  }

  private func holes(_ context: DialectContext, life: Duration? = nil, wait: Duration = .zero) -> ServedHoles {
    ServedHoles(
      context: context, user: user, sent: sent, heard: heard, values: served.wire.serving.values, secrets: secrets,
      number: number, life: life ?? context.expiresIn, wait: wait)
  }
}
