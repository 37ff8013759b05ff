package import GatewayCore
internal import GatewayJSON

/// A gateway's wire as a file describes it, from the client's side. It contains only messages and habits; the storm's
/// client machine acts on them.
package struct WireDescription: Sendable {
  package let name: String
  /// The request before each connect; nil for none.
  let before: WireRequest?
  let connect: WireConnect
  let frames: WireFraming
  /// The messages in the order of ``HoleNames/sent``.
  let messages: [WireMessage]
  let rules: [WireRule]
  let keepAlive: WireKeepAlive?
  package let names: HoleNames
  package let habits: ClientHabits
  /// The rules for a gateway that plays the description.
  let serving: WireServing
  /// The way in which clients renew.
  let renewing: WireRenewal
  /// The description with its place.
  let file: Described
  /// The message that is sent when the connection opens; nil if the gateway begins, or the upgrade contained
  /// everything.
  let opening: Int?
  /// The message with a new token; nil if none is sent on a connection.
  let renewal: Int?

  static let keys = [
    "$schema", "wire", "name", "before", "connect", "token", "frames", "settle", "say", "at_open", "hear", "ends",
    "refresh", "comeback", "keep_alive", "serve",
  ]
  /// The maximum number of values of rules that a client stores.
  private static let slotsMax = 8

  package init(_ file: Described) throws(DescriptionError) {
    let wire = try file.object(Self.keys)
    let version = try wire.required("wire", example: "1")
    guard case .number("1") = version.value.kind else {
      throw version.error("expected 1, the version of this language")
    }
    let name = try wire.required("name", example: "\"my-gateway\"")
    self.name = try name.text()
    guard (1...64).contains(self.name.utf8.count) else { throw name.error("a wire's name has 1 to 64 bytes") }
    let moment = try wire["token"]?.choice("moment to ask for a token", TokenMoment.self) ?? .before
    let said = try wire["say"]?.members() ?? []
    let heard = try wire["hear"]?.elements() ?? []
    var names = HoleNames(taken: try Self.taken(by: heard, wire), sent: said.map(\.name))
    for (_, message) in said { try WireMessage.collectHeard(in: message, into: &names.heardByGateway) }
    try WireServing.collectHeard(in: wire["serve"], into: &names.heardByGateway)
    self.names = names
    before = try wire["before"].map { (before) throws(DescriptionError) in try WireRequest(before, names, for: .connect)
    }
    connect = try WireConnect(try wire.required("connect", example: "{ \"path\": \"/socket\" }"), names)
    frames = try WireFraming(wire["frames"])
    messages = try said.map { (entry) throws(DescriptionError) in try WireMessage(entry.value, names) }
    rules = try heard.map { (entry) throws(DescriptionError) in try WireRule(entry, names) }
    let opening = try WireOpening(wire["at_open"], names)
    self.opening = opening.message
    self.file = file
    let renewing = try WireRenewal(wire["refresh"], names)
    self.renewing = renewing
    serving = try WireServing(wire["serve"], names)
    renewal = renewing.message
    keepAlive = try wire["keep_alive"].map { (keepAlive) throws(DescriptionError) in try WireKeepAlive(keepAlive, names)
    }
    var habits = ClientHabits()
    habits.refresh = renewing.habit
    habits.isLoggedInAtOpen = opening.isLoggedIn
    habits.asksAtNeed = moment == .atNeed
    habits.settle = try wire["settle"]?.duration() ?? (opening.isLoggedIn ? .seconds(1) : .zero)
    habits.keepAlive = keepAlive?.habit
    habits.comeback = try ComebackHabit(wire["comeback"], ends: WireEnds.rules(wire["ends"]))
    self.habits = habits
    try check(file, renewing)
  }

  /// The moment when a client requests its token.
  private enum TokenMoment: String, CaseIterable {
    /// Before the connect.
    case before
    /// When a step of the login sends a message that contains it.
    case atNeed = "at_need"
  }

  /// Returns the names under which rules, and the requests over HTTP, take a value without a predefined meaning.
  private static func taken(by rules: [Described], _ wire: DescribedObject) throws(DescriptionError) -> [String] {
    var names: [String] = []
    let request = try wire["refresh"]?.object(WireRenewal.keys)["request"]
    var takers: [(take: Described?, hasToken: Bool)] = [
      (try wire["before"]?.object(WireRequest.keys)["take"], false),
      (try request?.object(WireRequest.keys)["take"], true),
    ]
    for rule in rules {
      let rule = try rule.object(WireRule.keys)
      takers.append((rule["take"], try rule["is"]?.text() == WireRule.Verdict.pushed.rawValue))
    }
    for (take, hasToken) in takers {
      guard let take else { continue }
      for (name, value) in try take.members() where WireRule.Meaning(rawValue: name) == nil && !names.contains(name) {
        if hasToken, name == WireRequest.tokenName { continue }
        guard names.count < slotsMax else { throw value.error("more than \(slotsMax) different names are taken") }
        names.append(name)
      }
    }
    return names
  }
}
