internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Checks of each part of a description, and of all of it together.

extension WireDescription {
  func check(_ file: Described, _ renewing: WireRenewal) throws(DescriptionError) {
    try checkReach()
    try checkExamples()
    try checkNeed(file)
    try checkShown(file)
    try checkTaken()
    try checkText(file)
    try checkMessagePack(file)
    let verdicts = Set(rules.map(\.verdict))
    guard habits.isLoggedInAtOpen || verdicts.contains(.loggedIn) else {
      throw file.error("/hear: no rule is logged_in; one, or \"at_open\": {\"is\": \"logged_in\"}")
    }
    guard let refresh = renewing.described else { return }
    if renewing.habit.how == .asked, !verdicts.contains(.ask) {
      throw refresh.error("nobody asks: no rule of /hear is ask; one, or another \"how\"")
    }
    if renewing.habit.how == .http, renewing.habit.lead == nil, !verdicts.contains(.ask) {
      throw refresh.error("nothing says when to renew; \"lead\", as \"10s\" or \"20%\", or a rule of /hear that is ask")
    }
    if renewing.habit.how == .pushed, !verdicts.contains(.pushed) {
      throw refresh.error("no rule of /hear is pushed; one, or another \"how\"")
    }
    if renewing.habit.how != .pushed, let rule = rules.first(where: { $0.verdict == .pushed }) {
      throw rule.described.error(
        "tokens are pushed where \"how\" of \"refresh\" is \"pushed\"; that, or another meaning")
    }
    if [.asked, .timer].contains(renewing.habit.how), !verdicts.contains(.refreshed), !renewing.habit.isProvenBySurvival
    {
      throw refresh.error("no rule of /hear is refreshed; one, or \"proof\": \"survival\"")
    }
  }

  /// Throws if a text frame would have bytes that are no text (RFC 6455 section 8.1).
  private func checkText(_ file: Described) throws(DescriptionError) {
    func isNoText(_ template: Template) -> Bool {
      template.literal.map { String(validating: $0, as: UTF8.self) == nil } ?? false
    }
    func error(_ described: Described) -> DescriptionError {
      described.error("its bytes are no UTF-8, and its frames are text; \"frames\": {\"kind\": \"binary\"}")
    }
    for message in messages {
      for part in message.parts where (part.kind ?? frames.kind) == .text && isNoText(part.template) {
        throw error(try file.object(Self.keys)["say"] ?? file)
      }
    }
    guard frames.kind == .text else { return }
    for rule in rules {
      if let example = rule.example, isNoText(example) { throw error(rule.described) }
      for one in rule.further where isNoText(one.template) { throw error(one.described) }
    }
    for answer in serving.answers where answer.says.contains(where: isNoText) {
      throw error(try file.object(Self.keys)["serve"] ?? file)
    }
  }

  /// Throws unless a token that is requested at need is contained in a step of the login, and in nothing before it.
  private func checkNeed(_ file: Described) throws(DescriptionError) {
    guard habits.asksAtNeed else { return }
    let token = try file.object(Self.keys)["token"] ?? file
    func say(_ place: String) -> DescriptionError {
      token.error("\(place) says {{token}}, for which nobody has asked yet; \"token\": \"before\"")
    }
    if before?.templates.contains(where: { $0.holes.contains(.token) }) == true { throw say("/before") }
    if connect.templates.contains(where: { $0.holes.contains(.token) }) { throw say("/connect") }
    if opening.map({ messages[$0].saysToken }) == true { throw say("/at_open") }
    guard rules.contains(where: { $0.reply.map { messages[$0].saysToken } == true }) else {
      throw token.error("no rule of /hear says a message with {{token}}, so that none is ever asked for")
    }
  }

  /// Throws unless some request or message shows the renewed token to the gateway.
  private func checkShown(_ file: Described) throws(DescriptionError) {
    guard habits.refresh.how != .none else { return }
    let asked = connect.templates + (before?.templates ?? [])
    guard !asked.contains(where: { $0.holes.contains(.token) }) else { return }
    let said = [opening, keepAlive?.message].compactMap(\.self) + rules.compactMap(\.reply)
    guard !said.contains(where: { messages[$0].saysToken }) else { return }
    guard let number = messages.indices.first(where: { messages[$0].saysToken && $0 != renewal }) else {
      guard renewal.map({ messages[$0].saysToken }) != true else { return }
      throw file.error("nothing shows the gateway a token; {{token}} in a message of /say, or under /connect")
    }
    let name = names.sent[number]
    throw (try file.object(Self.keys)["say"] ?? file).error(
      "nobody says '\(name)', which holds the token; \"at_open\": {\"say\": \"\(name)\"}, or a rule of /hear that says it"
    )
  }

  /// Throws if a value is taken under an unused name that is almost one of the names with a meaning.
  private func checkTaken() throws(DescriptionError) {
    guard !habits.asksAtNeed else { return }
    for rule in rules {
      let take = try rule.described.object(WireRule.keys)["take"]
      for (name, value) in try take?.members() ?? [] where WireRule.Meaning(rawValue: name) == nil {
        guard !file.value.holds("{{taken.\(name)") else { continue }
        let near = Suggestion.near(name, among: WireRule.Meaning.allCases.map(\.rawValue)).map { "'\($0)'" }
        guard !near.isEmpty else { continue }
        throw value.error("nothing says {{taken.\(name)}}" + Suggestion.question(near))
      }
    }
  }

  /// Throws if a rule is unreachable because an earlier one has the same condition in all its phases.
  private func checkReach() throws(DescriptionError) {
    for (number, rule) in rules.enumerated() {
      for earlier in rules[..<number]
      where earlier.condition == rule.condition && earlier.phases.isSuperset(of: rule.phases) {
        throw rule.described.error("never reached: \(earlier.described.pointer) has the same condition")
      }
    }
  }

  /// Throws unless some rule takes a message that the gateway sends after an example.
  private func checkIsTaken(_ template: Template, _ described: Described) throws(DescriptionError) {
    var bytes: [UInt8] = []
    do {
      try template.write(to: &bytes, from: ExampleSource())
    } catch {
      throw described.error("cannot be said: \(error)")
    }
    let text = WireText(bytes)
    guard rules.contains(where: { $0.condition.holds(for: text, ExampleSource()) }) else {
      throw described.error(
        "no rule of /hear takes this message; a rule for it, as { \"when\": …, \"is\": \"ignore\" }")
    }
  }

  /// Throws unless every example is taken by its own rule.
  private func checkExamples() throws(DescriptionError) {
    for (number, rule) in rules.enumerated() {
      guard let example = rule.example else { continue }
      var bytes: [UInt8] = []
      do {
        try example.write(to: &bytes, from: ExampleSource())
      } catch {
        throw rule.described.error("its example cannot be said: \(error)")
      }
      let text = WireText(bytes)
      guard rule.condition.holds(for: text, ExampleSource()) else {
        throw rule.described.error("the rule does not recognise its own example")
      }
      for earlier in rules[..<number]
      where earlier.phases.isSuperset(of: rule.phases) && earlier.condition.holds(for: text, ExampleSource()) {
        throw rule.described.error("its example is taken by \(earlier.described.pointer), which stands before it")
      }
      if rule.verdict == .pushed, rule.token(in: text) == nil {
        throw rule.described.error("nothing to take as 'token' is in its example; {{token}} there")
      }
      for (template, described) in rule.further { try checkIsTaken(template, described) }
    }
  }
}

/// The values for the holes of examples: the user is always `ann`, and each message has another number.
struct ExampleSource: HoleSource {
  func value(of hole: Hole) -> String? {
    switch hole {
    case .user: "ann"
    case .column, .taken, .heard, .secret: "1"
    case .token: "a.b.c"
    case .id, .number: "1"
    case .sent(let slot): "\(slot + 1)"
    case .random: "0123456789abcdef"
    case .nowSeconds, .endSeconds: "1700000000"
    case .nowMilliseconds, .endMilliseconds: "1700000000000"
    case .lifeSeconds: "300"
    case .connection: "c1"
    case .waitMilliseconds: "60000"
    }
  }
}

extension WireDescription {
  /// The description in one line for people.
  package var outline: String {
    let examples = rules.count { $0.example != nil }
    func some(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
    return "\(name): \(some(messages.count, "message")), \(some(rules.count, "rule")), \(some(examples, "example")), "
      + "renewal \(habits.refresh.how.rawValue)"
  }

  /// The path of the upgrade, if it has no holes.
  package var path: String? { connect.path.literal.map { String(decoding: $0, as: UTF8.self) } }

  /// Whether the token is part of the URL, which gateways and proxies write into their logs.
  package var showsTokenInAddress: Bool {
    (connect.query.map(\.value) + [connect.path]).contains { $0.holes.contains(.token) }
  }

  /// The values that a token request may contain; empty if it is sent before any message is received.
  package var takenBeforeToken: [String] {
    habits.asksAtNeed ? names.taken : []
  }
}

extension PlacedJSON {
  /// Returns whether that text occurs anywhere in it.
  fileprivate func holds(_ text: String) -> Bool {
    switch kind {
    case .object(let members): members.contains { $0.value.holds(text) }
    case .array(let elements): elements.contains { $0.holds(text) }
    case .string(let string): string.contains(bytesOf: text)
    case .number, .bool, .null: false
    }
  }
}
