package import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// A described wire, the client's side. It requests tokens like a built-in dialect, or as another file describes.
package struct DescribedClientDialect: ClientDialect {
  package let wire: WireDescription
  private let provider: any ClientDialect
  /// The values for `{{secret.NAME}}`.
  private let secrets: [String: String]
  /// A callback for every message and the rule that took it; nil for a fleet.
  let watch: (@Sendable (WireSight) -> Void)?

  /// Creates the dialect.
  ///
  /// - Parameter provider: The dialect that requests tokens and reads the answers.
  package init(
    _ wire: WireDescription, provider: any ClientDialect, secrets: [String: String] = [:],
    watch: (@Sendable (WireSight) -> Void)? = nil
  ) {
    self.wire = wire
    self.provider = provider
    self.secrets = secrets
    self.watch = watch
  }

  package var name: String { wire.name }
  package var habits: ClientHabits { wire.habits }
  package var closeNames: [UInt16: String] { [:] }
  package var upgradeTarget: String {
    String(decoding: wire.connect.path.literal ?? [], as: UTF8.self)
  }

  // MARK: Tokens

  package func registration(of user: UserID) -> HTTPRequest? { provider.registration(of: user) }

  package func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    provider.tokenRequest(for: user, life: life, at: now)
  }

  package func token(in response: HTTPResponse) -> Credentials? { provider.token(in: response) }

  /// Returns the `exp` of a JWT without verifying it, since only the gateway's verdict counts.
  package func end(of token: Credentials) -> WallTime? {
    guard let payload = try? UnverifiedToken(token.token).payload, let exp = payload[member: "exp"]?.number,
      (0...1e11).contains(exp)
    else { return nil }
    return WallTime(seconds: exp)
  }

  // MARK: Sending

  /// Returns this dialect with a callback for every message in both directions.
  package func watched(by watch: @escaping @Sendable (WireSight) -> Void) -> DescribedClientDialect {
    DescribedClientDialect(wire, provider: provider, secrets: secrets, watch: watch)
  }

  package func memory(of client: ClientIdentity) -> ClientMemory? {
    ClientMemory(taken: wire.names.taken.count, sent: wire.messages.count)
  }

  package func ahead(of client: ClientIdentity, _ memory: ClientMemory?) -> HTTPRequest? {
    let request = wire.before?.request(source(client, memory, message: 0))
    if let watch, let request {
      watch(.askedAhead("\(request.method) \(seen(Self.target(of: request), client))"))
    }
    return request
  }

  package func heed(_ response: HTTPResponse, of client: ClientIdentity, _ memory: ClientMemory?) -> String? {
    let missing = wire.before?.take(from: response, into: memory, at: client.now).lacking
    watch?(.answeredAhead(status: response.status, lacking: missing))
    return missing.map { "before_lacks_\(ReportLabel.cleaned($0))" }
  }

  package func upgrade(of client: ClientIdentity) -> ClientUpgrade { upgrade(of: client, nil) }

  package func upgrade(of client: ClientIdentity, _ memory: ClientMemory?) -> ClientUpgrade {
    let upgrade = wire.connect.upgrade(source(client, memory, message: 0))
    if let watch {
      watch(.dialled(seen(Self.target(of: upgrade.request), client)))
    }
    return upgrade
  }

  /// Returns path and query in readable form.
  static func target(of request: HTTPRequest) -> [UInt8] {
    let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return Array((request.path + (query.isEmpty ? "" : "?\(query)")).utf8)
  }

  package func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    frames(message, of: client, nil).first
  }

  package func frames(_ message: ClientMessage, of client: ClientIdentity, _ memory: ClientMemory?) -> [Frame] {
    switch message {
    case .connect: wire.opening.map { say($0, client, memory) } ?? []
    case .refresh(let token):
      wire.renewal.map { number in
        var client = client
        client.token = token
        return say(number, client, memory)
      } ?? []
    case .ping: wire.keepAlive?.message.map { say($0, client, memory) } ?? []
    case .cued(let number): wire.messages.indices.contains(number) ? say(number, client, memory) : []
    case .garbage: [wire.frames.garbage]
    }
  }

  /// Returns the frames of a message; none if a hole cannot be filled.
  private func say(_ number: Int, _ client: ClientIdentity, _ memory: ClientMemory?) -> [Frame] {
    let id = (memory?.lastID ?? 0) &+ 1
    memory?.lastID = id
    memory?.sent[number] = id
    memory?.hasSpoken = true
    let source = source(client, memory, message: id)
    let separator = wire.frames.end.isEmpty ? wire.frames.split : wire.frames.end
    var frames: [Frame] = []
    for part in wire.messages[number].parts {
      var bytes: [UInt8] = []
      do {
        try part.template.write(to: &bytes, from: source, refusing: separator)
      } catch {
        watch?(.unsaid(message: wire.names.sent[number], error))
        return []
      }
      let kind = part.kind ?? wire.frames.kind
      guard let payload = wire.frames.encoded(bytes, kind) else {
        watch?(.unsaid(message: wire.names.sent[number], .noMessagePack))
        return []
      }
      watch?(.said(message: wire.names.sent[number], seen(bytes, client)))
      frames.append(Frame(kind, payload))
    }
    return frames
  }

  func source(_ client: ClientIdentity, _ memory: ClientMemory?, message: UInt32) -> ClientHoles {
    ClientHoles(
      client: client, memory: memory, message: message, end: client.token.flatMap { end(of: $0) }, secrets: secrets)
  }

  /// The number of characters of a message that are shown.
  private static let seenMax = 2000

  /// Returns a message as it may be shown: without tokens, secrets and control characters.
  func seen(_ bytes: [UInt8], _ client: ClientIdentity, hiding other: String? = nil) -> String {
    var text = String(decoding: bytes, as: UTF8.self)
    if let other { text = HoleFilter.hiding(other, in: text, behind: "<token>") }
    if let token = client.token?.token { text = HoleFilter.hiding(token, in: text, behind: "<token>") }
    for secret in secrets.values { text = HoleFilter.hiding(secret, in: text, behind: "<secret>") }
    // Shortened only now, since half a token would not be found.
    text = String(text.prefix(Self.seenMax))
    // Other texts that look like a JWT are hidden too.
    text = text.split(bytesOf: "eyJ").enumerated().map { number, part in
      number == 0 ? String(part) : "<token>" + part.drop { $0.isLetter || $0.isNumber || "_-.".contains($0) }
    }.joined()
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  // MARK: Receiving

  package func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? { nil }

  package func hear(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, by client: () -> (ClientPhase?, ClientIdentity),
    _ memory: ClientMemory?, _ hear: (ServerNotice?) -> Void
  ) {
    guard let memory else { return hear(nil) }
    for bytes in wire.frames.messages(in: payload, &memory.rest) {
      let (phase, identity) = client()
      guard let phase else { continue }
      let now: ClientPhase = phase == .loggingIn && !memory.hasSpoken ? .opening : phase
      let notices = notices(of: wire.frames.text(bytes), in: now, identity, memory)
      if notices.isEmpty { hear(nil) }
      for notice in notices { hear(notice) }
    }
  }

  package func heardEnd(_ code: UInt16?, _ text: String?, of client: () -> ClientIdentity) {
    if let watch { watch(.ended(code, seen(Array((text ?? "").utf8), client()))) }
  }

  private func notices(
    of text: WireText, in phase: ClientPhase, _ client: ClientIdentity, _ memory: ClientMemory
  ) -> [ServerNotice] {
    let source = source(client, memory, message: memory.lastID)
    guard let rule = wire.rules.first(where: { $0.phases.contains(phase) && $0.condition.holds(for: text, source) })
    else {
      watch?(.unmatched(seen(text.bytes, client), phase))
      return [.remark(name: "unmatched")]
    }
    let taken = Taken(rule, from: text, into: memory, of: client)
    if let watch {
      let shown = seen(text.bytes, client, hiding: taken.token)
      watch(.heard(shown, rule: rule.described.pointer, verdict: rule.verdict.rawValue))
    }
    var notices = taken.life.map { [ServerNotice.tokenLife($0)] } ?? []
    if let notice = notice(of: rule, taken, in: phase, source) {
      // The life of a token that is not kept is the next one's no more.
      if case .remark = notice, rule.verdict == .pushed { notices = [] }
      notices.append(notice)
    }
    if let reply = rule.reply {
      // If the client requests its token when it is needed, any message with the token requires a new one.
      notices.append(wire.habits.asksAtNeed && wire.messages[reply].saysToken ? .tokenCue(reply) : .cue(reply))
    }
    return notices
  }

  private func notice(
    of rule: WireRule, _ taken: Taken, in phase: ClientPhase, _ source: ClientHoles
  ) -> ServerNotice? {
    let isLive = phase == .live || phase == .refreshing
    switch rule.verdict {
    // No client of ours follows a hand-over: its description is refused.
    case .step, .ignore, .handover: return nil
    case .alive: return .alive
    case .error: return .remark(name: taken.label)
    case .ask: return .refreshRequired(timeout: taken.wait)
    case .refreshed: return .refreshed
    case .pushed: return pushed(taken, to: source.client)
    case .loggedIn:
      var welcome = Welcome()
      if let keepAlive = wire.keepAlive { (welcome.pingInterval, welcome.pongTimeout) = keepAlive.times(source) }
      return .connected(nil, welcome)
    case .loginRefused, .goodbye:
      if isLive { return .goodbye(rule.then, name: taken.label) }
      if let retry = taken.retry, rule.then == .retry { return .busy(retryAfter: retry) }
      return .error(number: rule.then.number, name: taken.label)
    case .refreshRefused: return .error(number: rule.then.number, name: taken.label)
    }
  }
}
