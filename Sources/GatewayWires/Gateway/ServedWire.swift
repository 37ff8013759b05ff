internal import GatewayCore

/// A description from the gateway's side: the example of a rule is the message that the gateway sends. One for all
/// connections.
struct ServedWire: Sendable {
  let wire: WireDescription
  /// The messages of a login in order; empty if the upgrade contains everything.
  let chain: [Int]
  /// The rules whose examples are sent before the messages of ``chain``; nil if the client begins.
  private let steps: [WireRule?]
  private let loggedIn: WireRule?
  private let refusedForAge: WireRule?
  private let refused: WireRule?
  private let asks: WireRule?
  private let refreshed: WireRule?
  private let refreshRefused: WireRule?
  /// The close message to a client whose token has expired.
  let over: WireRule?
  private let leaving: WireRule?
  /// The message with a new token that no client has asked for.
  let pushed: WireRule?
  private let failed: WireRule?
  /// The number of the rule that answers a client's ping.
  let answer: Int?
  /// The rule that asks a client for a sign of life.
  let ping: WireRule?

  /// Creates the reverse of a description. Throws if it lacks something that a gateway must send.
  init(_ wire: WireDescription) throws(DescriptionError) {
    self = try Self(reading: wire, isPlayed: true)
    try check()
  }

  /// Creates the same for a reader, which sends little. Unless the wire is played, steps without an example are left out.
  init(reading wire: WireDescription, isPlayed: Bool = false) throws(DescriptionError) {
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
      if isPlayed, rule.example == nil { throw Self.lacks(rule, "a step of the login") }
      chain.append(reply)
      steps.append(rule)
    }
    self.chain = chain
    self.steps = steps
    loggedIn = first(.loggedIn)
    let renewable = first(.loginRefused) { $0.then == .renew }
    let final = first(.loginRefused) { $0.then == .giveUp }
    refusedForAge = renewable ?? final ?? first(.loginRefused)
    // A rule that requests a new token answers an invalid one only if there is no other answer.
    refused = final ?? (wire.serving.closes[.refused] == nil ? refusedForAge : nil)
    asks = first(.ask)
    refreshed = first(.refreshed)
    refreshRefused = first(.refreshRefused)
    over = first(.goodbye) { $0.then == .renew }
    leaving = first(.goodbye) { $0.then == .retry }
    pushed = first(.pushed)
    failed = first(.error)
    answer = wire.rules.firstIndex { $0.verdict == .alive && $0.reply == nil && $0.example != nil }
    ping = first(.alive) { $0.reply != nil }
  }

  private static func lacks(_ rule: WireRule, _ what: String) -> DescriptionError {
    rule.described.error("\(what) has no \"as\", the message as the gateway would say it: nobody can play the gateway")
  }

  private func check() throws(DescriptionError) {
    if let reason = wire.proxyOnly { throw reason }
    func need(_ rule: WireRule?, _ verdict: WireRule.Verdict) throws(DescriptionError) {
      guard rule == nil, let bare = wire.rules.first(where: { $0.verdict == verdict }) else { return }
      throw Self.lacks(bare, "a rule that is \(verdict.rawValue)")
    }
    if !wire.habits.isLoggedInAtOpen { try need(loggedIn, .loggedIn) }
    if [.asked, .http].contains(wire.habits.refresh.how) { try need(asks, .ask) }
    if wire.habits.refresh.how == .pushed { try need(pushed, .pushed) }
    try checkRequests()
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
  }

  /// Throws if a request over HTTP cannot be answered.
  private func checkRequests() throws(DescriptionError) {
    let requests = [wire.before, wire.renewing.request].compactMap(\.self)
    for request in requests where request.servedPath == nil {
      throw request.described.error("a path with holes cannot be answered")
    }
    if requests.count == 2, requests[0].method == requests[1].method, requests[0].servedPath == requests[1].servedPath {
      throw requests[1].described.error("/before is the same request, with this method and path")
    }
    guard let request = wire.renewing.request else { return }
    guard request.showsToken else {
      throw request.described.error("shows no {{token}}, by which the gateway could tell whose connection it renews")
    }
    for slot in request.namingSlots where !namesConnection(slot) {
      throw request.described.error(
        "{{taken.\(wire.names.taken[slot])}} names no connection to the gateway; it in /connect too, or {{connection}} in "
          + "the \"as\" that it is taken from")
    }
    let refusals = [WireServing.Close.refreshExpired, .refreshRefused].filter { wire.serving.closes[$0] != nil }
    if let close = refusals.first {
      throw request.described.error(
        "a refused request has an answer, and its connection goes on; leave \"\(close.rawValue)\" out of \"closes\"")
    }
  }

  /// Returns whether a gateway knows a connection by the value that its client took.
  private func namesConnection(_ slot: Int) -> Bool {
    isInUpgrade(slot)
      || wire.rules.contains { rule in
        rule.example?.holes.contains(.connection) == true && rule.taking.contains { $0.place == .slot(slot) }
      }
  }

  /// Returns whether the upgrade shows the value that the client took.
  func isInUpgrade(_ slot: Int) -> Bool { wire.connect.templates.contains { $0.holes.contains(.taken(slot)) } }

  // MARK: Messages

  /// Returns the rule whose example is sent before message `step` of the login; nil for none.
  func words(aheadOf step: Int) -> WireRule? { steps.indices.contains(step) ? steps[step] : nil }

  /// Returns the rule with that number.
  func rule(_ number: Int) -> WireRule? { wire.rules.indices.contains(number) ? wire.rules[number] : nil }

  /// Returns the rule for the gateway's message.
  func words(for message: OutboundMessage, isRenewing: Bool, isLoggingIn: Bool) -> WireRule? {
    switch message {
    case .connected: loggedIn
    case .loginRefused(let error, _): Self.isAboutAge(error) ? refusedForAge : refused
    case .refreshRequired:
      switch wire.habits.refresh.how {
      case .asked, .http: asks
      case .timer, .pushed: nil
      case .reconnect, .none: over
      }
    case .refreshed: isRenewing ? refreshed : loggedIn
    case .error where isRenewing: refreshRefused ?? (endsAtRefusedRenewal ? nil : failed)
    // A login on a logged-in connection: another channel.
    case .error(let error, _) where isLoggingIn: Self.isAboutAge(error) ? refusedForAge : refused
    case .error(let error, _): error.isSame(as: .connectionRequired) ? refused ?? failed : failed
    case .closing: leaving
    case .loggedOut, .pong: nil
    }
  }

  /// Returns whether a newer token could succeed.
  static func isAboutAge(_ error: GatewayError) -> Bool {
    [.tokenExpired, .tokenRevoked, .sessionExpired, .tokenNotRenewed].contains { error.isSame(as: $0) }
  }

  /// Whether a refusal has a message, so that it is sent after the 101.
  var refusesInWords: Bool { refused != nil || wire.serving.closes[.refused] != nil }

  /// Returns the code of the close frame, if the wire has one of its own.
  func code(for reason: CloseReason) -> UInt16? {
    let closes = wire.serving.closes
    switch reason {
    case .refreshTimeout, .tokenRevoked: return closes[.expired] ?? wire.code(for: .renew, in: .live)
    case .livenessTimeout: return closes[.silent]
    case .invalidToken, .loginTimeout, .anonymousRefused, .tooManyFailures: return closes[.refused]
    default: return nil
    }
  }

  /// Returns the code of the close frame after a refused token, by cause; nil if the wire does not distinguish causes.
  func code(for error: GatewayError, isRenewal: Bool) -> UInt16? {
    let closes = wire.serving.closes
    let isAboutAge = Self.isAboutAge(error)
    if isRenewal {
      return isAboutAge
        ? closes[.refreshExpired] ?? closes[.expired] : closes[.refreshRefused] ?? closes[.refused]
    }
    return isAboutAge ? closes[.loginExpired] : nil
  }

  /// Returns the status that refuses a request over HTTP, by cause: the first of `ends` with that meaning.
  func status(for error: GatewayError) -> Int {
    guard error.httpStatus == 401 else { return error.httpStatus }
    let verdict = Self.isAboutAge(error) ? ReturnVerdict.renew : .giveUp
    let rule = wire.habits.comeback?.ends?.first {
      $0.isHTTP && $0.verdict == verdict && $0.phases.contains(.refreshing)
    }
    return rule?.codes.first?.lowerBound ?? 401
  }

  // MARK: The end of a session

  var endsAtRefusedRenewal: Bool { wire.serving.endsAtRefusedRenewal }

  /// Returns whether the close message is sent before that close frame: clients that renew in time get no other notice.
  func saysFarewell(before reason: CloseReason) -> Bool {
    guard wire.serving.end == .close else { return false }
    if reason == .tooManyFailures { return endsAtRefusedRenewal }
    return renewsInPlace && (reason == .refreshTimeout || reason == .tokenRevoked)
  }

  /// Whether clients hear nothing of an expiry before the end: they renew by a timer, or the gateway does.
  private var renewsInPlace: Bool {
    switch wire.habits.refresh.how {
    case .timer, .pushed: true
    case .http: asks == nil
    case .asked, .reconnect, .none: false
    }
  }

  /// Whether the gateway asks its clients for another token.
  var asksClients: Bool {
    let how = wire.habits.refresh.how
    return how == .asked || how == .http && asks != nil
  }

  /// Whether the goodbye differs for each channel.
  var repeatsGoodbye: Bool {
    guard let over, let example = over.example else { return false }
    return ([example] + over.further.map(\.template)).contains { template in
      template.holes.contains { if case .heard = $0 { true } else { false } }
    }
  }

  // MARK: Answers

  /// Returns whether a client waits for no answer to this message.
  func needsNoAnswer(_ message: Int) -> Bool {
    // A sign of life on a wire with pings of the gateway, or a part of something else.
    wire.rules.contains { $0.reply == message } || chain.contains(message) || message == wire.renewal
  }

  /// Warnings for the operator about events that clients will not be told.
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

  /// Returns whether the upgrade belongs to this wire, by its path; the rest differs between SDKs.
  func accepts(_ upgrade: HTTPRequest) -> Bool {
    var bindings = Bindings()
    return wire.connect.path.matches(Array(upgrade.path.utf8)[...], &bindings)
  }

  /// Returns the token in the upgrade; nil for none.
  func token(in upgrade: HTTPRequest) -> String? { bindings(in: upgrade).token }

  /// Returns the values in the upgrade.
  func bindings(in upgrade: HTTPRequest) -> Bindings {
    var bindings = Bindings()
    _ = wire.connect.path.matches(Array(upgrade.path.utf8)[...], &bindings)
    Self.read(wire.connect.query, upgrade.query, &bindings)
    Self.read(wire.connect.headers, upgrade.headers, &bindings)
    for template in wire.connect.subprotocols {
      for offered in Self.offered(in: upgrade) { _ = template.matches(Array(offered.utf8)[...], &bindings) }
    }
    return bindings
  }

  /// Reads the token and the values that the gateway gave from the fields of a request.
  static func read(
    _ templates: [(name: String, value: Template)], _ fields: [HTTPField], _ bindings: inout Bindings
  ) {
    for (name, template) in templates where template.holes.contains(where: \.isShown) {
      for field in fields where field.name.utf8.elementsEqual(name.utf8) {
        _ = template.matches(Array(field.value.utf8)[...], &bindings)
      }
    }
  }

  /// Returns the subprotocols that a client offers.
  static func offered(in upgrade: HTTPRequest) -> [String] {
    upgrade.headers.filter { $0.name == "sec-websocket-protocol" }.flatMap { field in
      field.value.split(separator: ",").map { part in
        String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }
    }
  }

}

extension Hole {
  /// Whether a client shows it to say who it is: its token, or a value that the gateway gave it.
  fileprivate var isShown: Bool {
    switch self {
    case .token, .taken: true
    default: false
    }
  }
}

extension WireDescription {
  /// Returns the first close code with this meaning to a client.
  fileprivate func code(for verdict: ReturnVerdict, in phase: ClientPhase) -> UInt16? {
    habits.comeback?.ends?.first { !$0.isHTTP && $0.verdict == verdict && $0.phases.contains(phase) }?.codes.first
      .flatMap { UInt16(exactly: $0.lowerBound) }.flatMap { CloseReason.maySend($0) ? $0 : nil }
  }

  /// The status of a refused upgrade that requests a new token.
  var statusOfRefusal: Int? {
    habits.comeback?.ends?.first { $0.isHTTP && $0.verdict == .renew }?.codes.first?.lowerBound
  }
}
