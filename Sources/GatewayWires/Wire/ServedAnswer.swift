internal import GatewayCore
internal import GatewayJSON

/// A rule for the answer to further messages of clients: `{"id":3,"subscribe":{}}` to `{"id":3,"subscribe":…}`.
struct ServedAnswer: Sendable {
  let described: Described
  let condition: WireCondition
  /// Whether it applies before the login, and after it.
  let holds: (beforeLogin: Bool, afterLogin: Bool)
  let hearing: Hearing
  /// The answers; empty for a message that needs none.
  let says: [Template]

  static let keys = ["when", "during", "take", "say"]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    self.described = described
    let rule = try described.object(Self.keys)
    let serving = names.ofGateway
    condition = try WireCondition(
      try rule.required("when", example: "{ \"json\": { \"/subscribe\": { \"exists\": true } } }"), serving)
    let phases = try rule["during"].map { (during) throws(DescriptionError) in try WirePhases.read(during) }
    holds = (
      phases.map { !$0.isDisjoint(with: [.opening, .loggingIn]) } ?? false,
      phases.map { !$0.isDisjoint(with: [.live, .refreshing]) } ?? true
    )
    hearing = try Hearing(rule["take"], names)
    says =
      try rule["say"]?.oneOrMore().map { (one) throws(DescriptionError) in
        try WireMessage.template(one, try one.object(WireMessage.saidKeys), serving)
      } ?? []
  }

  /// Returns the values taken from the message if the rule applies to it.
  func match(_ text: WireText, isLoggedIn: Bool, _ source: some HoleSource) -> Bindings? {
    guard isLoggedIn ? holds.afterLogin : holds.beforeLogin, condition.holds(for: text, source) else { return nil }
    var bindings = Bindings()
    if let root = text.json(behind: condition.prefix.count) { hearing.take(from: root, into: &bindings) }
    return bindings
  }
}
