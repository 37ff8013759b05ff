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
  /// Whether a token is being judged that is to take the place of another.
  private var isRenewing = false
  private var number: UInt32 = 0
  var askedAt: Instant?

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
    let meaning = meaning(of: heard, context)
    if case .credentials = meaning { isRenewing = context.isLoggedIn && heard.message == served.wire.renewal }
    return meaning
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
    let wasRenewing = isRenewing
    var (life, wait) = (context.expiresIn, Duration.zero)
    switch message {
    case .connected(_, let user, _, let expiresIn, _, _):
      self.user = user.rawValue
      life = expiresIn
    case .refreshed(let expiresIn, _, _):
      life = expiresIn
      isRenewing = false
    // The other token is still being judged.
    case .error(let error, _): isRenewing = isRenewing && error.isSame(as: .alreadyInProgress)
    case .refreshRequired(_, let timeout): wait = timeout
    case .pong(let request): return say(rule(answering: request), context)
    case .loginRefused, .loggedOut, .closing: break
    }
    return say(served.words(for: message, isRenewing: wasRenewing), context, life: life, wait: wait)
  }

  func ping(_ context: DialectContext) -> [Frame] { say(served.ping, context) }

  private func rule(answering request: RequestID?) -> WireRule? {
    guard let text = request?.rawValue else { return nil }
    if text.hasPrefix(Self.stepMark) {
      return Int(text.dropFirst(Self.stepMark.count)).flatMap { served.words(aheadOf: $0) }
    }
    return Int(text).flatMap { served.rule($0) }
  }

  /// The rule's own example; nothing where a hole of it cannot be filled.
  private func say(
    _ rule: WireRule?, _ context: DialectContext, life: Duration? = nil, wait: Duration = .zero
  ) -> [Frame] {
    guard let template = rule?.example else { return [] }
    number &+= 1
    let holes = ServedHoles(
      context: context, user: user, sent: sent, values: served.wire.serving.values, secrets: secrets, number: number,
      life: life ?? context.expiresIn, wait: wait)
    let frames = served.wire.frames
    var bytes: [UInt8] = []
    do {
      try template.write(to: &bytes, from: holes, refusing: frames.end.isEmpty ? frames.split : frames.end)
    } catch {
      return []
    }
    return [Frame(frames.kind, bytes + frames.end)]
  }
}
