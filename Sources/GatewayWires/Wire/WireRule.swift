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
    /// The gateway gives a new token by itself.
    case pushed
    case goodbye
    case alive
    case error
    /// The gateway sends the client to another address. Only a proxy acts on it.
    case handover
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
    /// The address of a hand-over.
    case nextURL = "next_url"
  }

  /// A value that a rule takes, and its place.
  struct Taking: Sendable {
    enum Place: Hashable {
      case meaning(Meaning)
      case slot(Int)
      /// The new token in a message that is ``Verdict/pushed``.
      case token
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
  /// The names of the members with the pushed token, for ``WireMessage/Part/tokenMembers``; nil if it occurs elsewhere.
  let tokenMembers: [String]?
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
    let isPushed = verdict == .pushed
    taking =
      try rule["take"]?.members().map { (entry) throws(DescriptionError) in
        let pointer = try JSONPointer(entry.value)
        if isPushed, entry.name == WireRequest.tokenName { return Taking(place: .token, pointer: pointer) }
        if let meaning = Meaning(rawValue: entry.name) { return Taking(place: .meaning(meaning), pointer: pointer) }
        return Taking(place: .slot(names.taken.firstIndex(of: entry.name) ?? 0), pointer: pointer)
      } ?? []
    guard !isPushed || taking.contains(where: { $0.place == .token }) else {
      throw described.error("a rule that is pushed takes the token; \"take\": {\"token\": POINTER}")
    }
    then = try rule["then"]?.choice("verdict") ?? .retry
    label = try rule["label"].map { (label) throws(DescriptionError) in try WireLabel(label) }
    unpack = try rule["unpack"].map { (unpack) throws(DescriptionError) in try JSONPointer(unpack) }
    tokenMembers = try Self.tokenMembers(taking, rule["as"])
    let serving = names.ofGateway
    var said =
      try rule["as"]?.oneOrMore().map { (one) throws(DescriptionError) in
        (template: try WireMessage.template(one, try one.object(WireMessage.saidKeys), serving), described: one)
      } ?? []
    if said.isEmpty, let empty = rule["as"] { throw empty.error("an empty list says nothing") }
    example = said.isEmpty ? nil : said.removeFirst().template
    further = said
    try checkHandover(rule)
  }

  /// The place of the address to which the gateway sends the client; nil for none.
  var nextURL: JSONPointer? { taking.first { $0.place == .meaning(.nextURL) }?.pointer }

  private func checkHandover(_ rule: DescribedObject) throws(DescriptionError) {
    guard verdict == .handover else {
      guard nextURL == nil else {
        throw (rule["take"] ?? described).error("next_url is taken by a rule that \"is\": \"handover\"")
      }
      return
    }
    guard nextURL != nil else {
      throw described.error("a handover names the address; \"take\": { \"next_url\": POINTER }")
    }
    if let unpack = rule["unpack"] { throw unpack.error("the address of a handover is changed in place, not in text") }
    if let say = rule["say"] { throw say.error("nothing is said at a handover; the client connects to the address") }
  }

  /// Returns the members that hold the token in a message of the gateway.
  private static func tokenMembers(
    _ taking: [Taking], _ examples: Described?
  ) throws(DescriptionError) -> [String]? {
    guard let place = taking.first(where: { $0.place == .token }) else { return [] }
    guard let last = place.pointer.lastName else { return nil }
    var names = [WireMessage.redactable(last)]
    for example in try examples?.oneOrMore() ?? [] {
      guard let json = try example.object(WireMessage.saidKeys)["json"] else { continue }
      guard let found = WireMessage.tokenMembers(in: json.value) else { return nil }
      names += found
    }
    return names
  }
}
