internal import GatewayCore

/// A description read the other way round: what the gateway says at which occasion, and what it knows again of what
/// clients say; the example of a rule for `logged_in` is its answer to a login, for instance. One for all connections.
struct ServedWire: Sendable {
  let wire: WireDescription
  /// The messages of a login in their order; empty where the upgrade says all.
  let chain: [Int]
  /// The rules whose examples are said ahead of the messages of ``chain``; nil where the client begins.
  private let steps: [WireRule?]
  private let loggedIn: WireRule?
  private let refusedForAge: WireRule?
  private let refused: WireRule?
  private let asks: WireRule?
  private let refreshed: WireRule?
  private let refreshRefused: WireRule?
  /// The goodbye to a client whose token is over.
  let over: WireRule?
  private let leaving: WireRule?
  private let failed: WireRule?
  /// The number of the rule that answers a client's ping.
  let answer: Int?
  /// What asks a client for a sign of life.
  let ping: WireRule?

  /// Throws if the description does not say what a gateway has to say.
  init(_ wire: WireDescription) throws(DescriptionError) {
    self.wire = wire
    func first(_ verdict: WireRule.Verdict, _ isFit: (WireRule) -> Bool = { _ in true }) -> WireRule? {
      wire.rules.first { $0.verdict == verdict && $0.example != nil && isFit($0) }
    }
    var chain: [Int] = []
    var steps: [WireRule?] = []
    if let opening = wire.opening {
      chain.append(opening)
      steps.append(nil)
    }
    for rule in wire.rules where rule.verdict == .step {
      guard let reply = rule.reply, !chain.contains(reply) else { continue }
      guard rule.example != nil else { throw Self.lacks(rule, "a step of the login") }
      chain.append(reply)
      steps.append(rule)
    }
    self.chain = chain
    self.steps = steps
    loggedIn = first(.loggedIn)
    let renewable = first(.loginRefused) { $0.then == .renew }
    let final = first(.loginRefused) { $0.then == .giveUp }
    refusedForAge = renewable ?? final ?? first(.loginRefused)
    // Words that ask for a new token fit a bad one only where nothing else tells the client.
    refused = final ?? (wire.serving.closes[.refused] == nil ? refusedForAge : nil)
    asks = first(.ask)
    refreshed = first(.refreshed)
    refreshRefused = first(.refreshRefused)
    over = first(.goodbye) { $0.then == .renew }
    leaving = first(.goodbye) { $0.then == .retry }
    failed = first(.error)
    answer = wire.rules.firstIndex { $0.verdict == .alive && $0.reply == nil && $0.example != nil }
    ping = first(.alive) { $0.reply != nil }
    try check()
  }

  private static func lacks(_ rule: WireRule, _ what: String) -> DescriptionError {
    rule.described.error("\(what) has no \"as\", the message as the gateway would say it: nobody can play the gateway")
  }

  private func check() throws(DescriptionError) {
    func need(_ rule: WireRule?, _ verdict: WireRule.Verdict) throws(DescriptionError) {
      guard rule == nil, let bare = wire.rules.first(where: { $0.verdict == verdict }) else { return }
      throw Self.lacks(bare, "a rule that is \(verdict.rawValue)")
    }
    if !wire.habits.isLoggedInAtOpen { try need(loggedIn, .loggedIn) }
    if wire.habits.refresh.how == .asked { try need(asks, .ask) }
    if wire.renewal != nil && !wire.habits.refresh.isProvenBySurvival { try need(refreshed, .refreshed) }
    for number in chain + [wire.renewal].compactMap({ $0 }) {
      guard wire.messages[number].parts.allSatisfy({ $0.pattern != nil }) else {
        throw wire.file.error(
          "/say/\(wire.names.sent[number]): its prefix has holes, by which nobody knows it again: nobody can play the gateway"
        )
      }
    }
    guard chain.contains(where: { wire.messages[$0].saysToken }) || tokenIsInUpgrade else {
      throw wire.file.error("no message of the login and nothing of the upgrade has {{token}}: nobody could be let in")
    }
    if wire.before != nil && beforePath == nil {
      throw wire.before?.described.error("a path with holes cannot be answered") ?? wire.file.error("/before")
    }
  }

  // MARK: What is said

  /// The rule whose example is said ahead of message `step` of the login; nil for none.
  func words(aheadOf step: Int) -> WireRule? { steps.indices.contains(step) ? steps[step] : nil }

  /// What a rule of that number answers.
  func rule(_ number: Int) -> WireRule? { wire.rules.indices.contains(number) ? wire.rules[number] : nil }

  /// What is said for the gateway's message.
  func words(for message: OutboundMessage, isRenewing: Bool, isLoggingIn: Bool) -> WireRule? {
    switch message {
    case .connected: loggedIn
    case .loginRefused(let error, _): Self.isAboutAge(error) ? refusedForAge : refused
    case .refreshRequired: wire.habits.refresh.how == .asked ? asks : wire.habits.refresh.how == .timer ? nil : over
    case .refreshed: isRenewing ? refreshed : loggedIn
    case .error where isRenewing: refreshRefused ?? (endsAtRefusedRenewal ? nil : failed)
    // A login on a connection that has one: another channel.
    case .error(let error, _) where isLoggingIn: Self.isAboutAge(error) ? refusedForAge : refused
    case .error(let error, _): error.isSame(as: .connectionRequired) ? refused ?? failed : failed
    case .closing: leaving
    case .loggedOut, .pong: nil
    }
  }

  /// Whether a newer token would be better.
  static func isAboutAge(_ error: GatewayError) -> Bool {
    [.tokenExpired, .tokenRevoked, .sessionExpired, .tokenNotRenewed].contains { error.isSame(as: $0) }
  }

  /// Whether a refusal has words, so that it comes after the 101.
  var refusesInWords: Bool { refused != nil || wire.serving.closes[.refused] != nil }

  /// The code of the close frame, where the wire has one of its own.
  func code(for reason: CloseReason) -> UInt16? {
    let closes = wire.serving.closes
    switch reason {
    case .refreshTimeout, .tokenRevoked: return closes[.expired] ?? wire.code(for: .renew, in: .live)
    case .livenessTimeout: return closes[.silent]
    case .invalidToken, .loginTimeout, .anonymousRefused, .tooManyFailures: return closes[.refused]
    default: return nil
    }
  }

  /// The code of the close frame behind a token that is refused, by the cause; nil where the wire tells no causes apart.
  func code(for error: GatewayError, isRenewal: Bool) -> UInt16? {
    let closes = wire.serving.closes
    let isAboutAge = Self.isAboutAge(error)
    if isRenewal {
      return isAboutAge
        ? closes[.refreshExpired] ?? closes[.expired] : closes[.refreshRefused] ?? closes[.refused]
    }
    return isAboutAge ? closes[.loginExpired] : nil
  }

  // MARK: The end of a session

  var endsAtRefusedRenewal: Bool { wire.serving.endsAtRefusedRenewal }

  /// Whether the goodbye stands before that close frame: where clients renew in time, nothing else tells them.
  func saysFarewell(before reason: CloseReason) -> Bool {
    guard wire.serving.end == .close else { return false }
    if reason == .tooManyFailures { return endsAtRefusedRenewal }
    return wire.habits.refresh.how == .timer && (reason == .refreshTimeout || reason == .tokenRevoked)
  }

  /// Whether the goodbye is another one for each channel.
  var repeatsGoodbye: Bool {
    guard let over, let example = over.example else { return false }
    return ([example] + over.further.map(\.template)).contains { template in
      template.holes.contains { if case .heard = $0 { true } else { false } }
    }
  }

  // MARK: What is answered

  /// Whether a client that says this message waits for no answer to it.
  func needsNoAnswer(_ message: Int) -> Bool {
    // A sign of life of a wire on which the gateway pings, or a part of something else.
    wire.rules.contains { $0.reply == message } || chain.contains(message) || message == wire.renewal
  }

  /// What a client will not be told, as warnings to whoever plays the description.
  var silences: [String] {
    var silences: [String] = []
    if let renewal = wire.renewal, refreshRefused == nil, failed == nil, !endsAtRefusedRenewal {
      silences.append(
        "a refused '\(wire.names.sent[renewal])' is answered with silence: its client waits until the session ends; "
          + "\"as\" in a rule that is refresh_refused, or \"serve\": {\"closes\": {\"refresh_expired\": CODE}}")
    }
    if wire.serving.end == .stay, over == nil {
      silences.append(
        "a session ends without a word on a socket that stays open; \"as\" in a rule that is goodbye with \"then\": \"renew\""
      )
    }
    for number in wire.messages.indices where !needsNoAnswer(number) {
      guard number != wire.keepAlive?.message || answer == nil else { continue }
      silences.append(
        "nobody answers '\(wire.names.sent[number])'; \"as\" in the rule that takes its answer, or a rule of \"serve\": {\"hear\": […]}"
      )
    }
    return silences
  }

  // MARK: The upgrade

  var tokenIsInUpgrade: Bool { wire.connect.templates.contains { $0.holes.contains(.token) } }

  /// Whether the upgrade is one of this wire, by its path: what else is in it differs between SDKs.
  func accepts(_ upgrade: HTTPRequest) -> Bool {
    var bindings = Bindings()
    return wire.connect.path.matches(Array(upgrade.path.utf8)[...], &bindings)
  }

  /// The token that the upgrade carries; nil for none.
  func token(in upgrade: HTTPRequest) -> String? {
    var bindings = Bindings()
    _ = wire.connect.path.matches(Array(upgrade.path.utf8)[...], &bindings)
    Self.read(wire.connect.query, upgrade.query, &bindings)
    Self.read(wire.connect.headers, upgrade.headers, &bindings)
    for template in wire.connect.subprotocols {
      for offered in Self.offered(in: upgrade) { _ = template.matches(Array(offered.utf8)[...], &bindings) }
    }
    return bindings.token
  }

  /// The same of the request ahead of the upgrade.
  func token(before request: HTTPRequest) -> String? {
    guard let before = wire.before else { return nil }
    var bindings = Bindings()
    Self.read(before.query, request.query, &bindings)
    Self.read(before.headers, request.headers, &bindings)
    if case .json(let template) = before.body { _ = template.matches(request.body[...], &bindings) }
    return bindings.token
  }

  private static func read(
    _ templates: [(name: String, value: Template)], _ fields: [HTTPField], _ bindings: inout Bindings
  ) {
    for (name, template) in templates where template.holes.contains(.token) {
      for field in fields where field.name.utf8.elementsEqual(name.utf8) {
        _ = template.matches(Array(field.value.utf8)[...], &bindings)
      }
    }
  }

  /// The subprotocols that a client offers.
  static func offered(in upgrade: HTTPRequest) -> [String] {
    upgrade.headers.filter { $0.name == "sec-websocket-protocol" }.flatMap { field in
      field.value.split(separator: ",").map { part in
        String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
    }
  }

  /// Where the request ahead of the upgrade goes.
  var beforePath: String? {
    wire.before?.path.literal.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension WireDescription {
  /// The first code of a close frame that means this to a client.
  fileprivate func code(for verdict: ReturnVerdict, in phase: ClientPhase) -> UInt16? {
    habits.comeback?.ends?.first { !$0.isHTTP && $0.verdict == verdict && $0.phases.contains(phase) }?.codes.first
      .flatMap { UInt16(exactly: $0.lowerBound) }.flatMap { CloseReason.maySend($0) ? $0 : nil }
  }

  /// The status of a refused upgrade that asks for a new token.
  var statusOfRefusal: Int? {
    habits.comeback?.ends?.first { $0.isHTTP && $0.verdict == .renew }?.codes.first?.lowerBound
  }
}
