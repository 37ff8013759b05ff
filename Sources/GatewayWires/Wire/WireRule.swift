internal import GatewayCore
internal import GatewayJSON

/// A rule for the meaning of a gateway's message, and how the message is recognised.
struct WireRule: Sendable {
  /// The meaning of a message that a rule takes, e.g. `logged_in`.
  enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// Only continues the login with a message.
    case step
    case loggedIn = "logged_in"
    case loginRefused = "login_refused"
    case ask
    case refreshed
    case refreshRefused = "refresh_refused"
    case goodbye
    case alive
    case error
    case ignore
  }

  /// The purpose of a value that a rule takes.
  enum Meaning: String, Hashable, Sendable, CaseIterable {
    case lifeSeconds = "life_s"
    case lifeMilliseconds = "life_ms"
    case endSeconds = "end_s"
    case endMilliseconds = "end_ms"
    case waitMilliseconds = "wait_ms"
    case retrySeconds = "retry_s"
    case retryMilliseconds = "retry_ms"
  }

  /// A value that a rule takes, and its place.
  struct Taking: Sendable {
    enum Place: Hashable {
      case meaning(Meaning)
      case slot(Int)
    }

    let place: Place
    let pointer: JSONPointer
  }

  let described: Described
  let condition: WireCondition
  let phases: Set<ClientPhase>
  let verdict: Verdict
  let reply: Int?
  let taking: [Taking]
  let then: ReturnVerdict
  let label: WireLabel?
  let unpack: JSONPointer?
  /// The message as the gateway would send it.
  let example: Template?
  /// The messages that the gateway sends after the example.
  let further: [(template: Template, described: Described)]

  static let keys = ["when", "during", "is", "say", "take", "then", "label", "unpack", "as"]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    self.described = described
    let rule = try described.object(Self.keys)
    condition = try WireCondition(try rule.required("when", example: "{ \"json\": { \"/type\": \"pong\" } }"), names)
    phases = try WirePhases.read(rule["during"])
    verdict = try rule.required("is", example: "\"logged_in\"").choice("meaning")
    reply = try rule["say"].map { (say) throws(DescriptionError) in try names.message(say) }
    if verdict == .step && reply == nil { throw described.error("a step says something; \"say\": a message") }
    taking =
      try rule["take"]?.members().map { (entry) throws(DescriptionError) in
        let pointer = try JSONPointer(entry.value)
        if let meaning = Meaning(rawValue: entry.name) { return Taking(place: .meaning(meaning), pointer: pointer) }
        return Taking(place: .slot(names.taken.firstIndex(of: entry.name) ?? 0), pointer: pointer)
      } ?? []
    then = try rule["then"]?.choice("verdict") ?? .retry
    label = try rule["label"].map { (label) throws(DescriptionError) in try WireLabel(label) }
    unpack = try rule["unpack"].map { (unpack) throws(DescriptionError) in try JSONPointer(unpack) }
    let serving = names.ofGateway
    var said =
      try rule["as"]?.oneOrMore().map { (one) throws(DescriptionError) in
        (template: try WireMessage.template(one, try one.object(WireMessage.saidKeys), serving), described: one)
      } ?? []
    if said.isEmpty, let empty = rule["as"] { throw empty.error("an empty list says nothing") }
    example = said.isEmpty ? nil : said.removeFirst().template
    further = said
  }
}
