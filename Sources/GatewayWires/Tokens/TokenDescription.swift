internal import GatewayJSON
internal import GatewayKit

/// A token endpoint as a file describes it: its requests, and the places of token and expiry in its answers.
package struct TokenDescription: Sendable {
  package let name: String
  let users: TokenUsers
  let request: TokenCall
  /// The request for later tokens; nil if the first one serves for them too.
  let renew: TokenCall?
  let answer: TokenAnswerRules
  let statuses: TokenStatuses
  package let tls: EndpointTLS?
  /// Whether connections are reused for the next request.
  package let keepsConnections: Bool
  let secrets: [String: String]
  /// The number of names that the wire takes.
  let wireTaken: Int
  /// The hosts that it names; nil stands for the URL on the command line.
  package let places: [EndpointPlace?]

  static let keys = [
    "$schema", "tokens", "name", "users", "request", "renew", "answer", "statuses", "tls", "keep_alive",
  ]

  /// Reads a description.
  ///
  /// - Parameters:
  ///   - file: The description.
  ///   - secrets: The values for `{{secret.NAME}}`.
  ///   - wireTaken: The names that the wire takes before it requests a token; these names precede the answer's.
  package init(
    _ file: Described, secrets: [String: String] = [:], wireTaken: [String] = []
  ) throws(DescriptionError) {
    let described = try file.object(Self.keys)
    let version = try described.required("tokens", example: "1")
    guard case .number("1") = version.value.kind else {
      throw version.error("expected 1, the version of this language")
    }
    name = try described["name"]?.text() ?? "described"
    guard (1...64).contains(name.utf8.count) else {
      throw (described["name"] ?? file).error("a name has 1 to 64 bytes")
    }
    let users = try TokenUsers(described["users"]) { (value, sizeMax) throws(DescriptionError) in
      try Self.read(value, sizeMax)
    }
    let rules = try described.required("answer", example: "{ \"token\": \"/access_token\" }")
    let taken = try TokenAnswerRules.taken(by: rules)
    let requestNames = HoleNames(
      taken: wireTaken, words: Self.words, columns: users.columns, secrets: Set(secrets.keys),
      takenNeeds: "there was no answer yet; what is taken serves \"renew\"")
    let renewNames = HoleNames(
      taken: wireTaken + taken, words: Self.words.union(["token"]), columns: users.columns, secrets: Set(secrets.keys),
      takenNeeds: "\"take\": {\"NAME\": POINTER} under \"answer\" takes it")
    request = try TokenCall(try described.required("request", example: "{ \"url\": \"/token\" }"), requestNames)
    renew = try described["renew"].map { (renew) throws(DescriptionError) in try TokenCall(renew, renewNames) }
    answer = try TokenAnswerRules(rules, taken: taken)
    statuses = try TokenStatuses(described["statuses"])
    tls = try described["tls"].map { (tls) throws(DescriptionError) in
      try EndpointTLS(tls) { (value) throws(DescriptionError) in try Self.path(value) }
    }
    keepsConnections = try described["keep_alive"]?.bool() ?? false
    self.users = users
    self.secrets = secrets
    self.wireTaken = wireTaken.count
    var places: [EndpointPlace?] = []
    for address in request.addresses + (renew?.addresses ?? []) where !places.contains(address.place) {
      places.append(address.place)
    }
    self.places = places
    if let tls = described["tls"], !places.contains(where: { $0?.isTLS ?? true }) {
      throw tls.error("no \"url\" begins with https://")
    }
    for name in ["devices", "tabs"] {
      guard let sharers = try described["users"]?.object(TokenUsers.keys)[name], !showsTaken else { continue }
      throw sharers.error(
        "\(name) share a refresh token or have one each, and \"renew\" shows none; add {{taken.NAME}} or remove \"\(name)\""
      )
    }
    if let first = taken.first, renew == nil {
      throw rules.error("'\(first)' is taken and nothing uses it; a \"renew\" does, as {{taken.\(first)}}")
    }
  }

  /// The names that every request has.
  private static let words: Set<String> = [
    "user", "number", "random", "now", "now_ms", "life_s", "end_s", "end_ms",
  ]

  /// Whether later requests show a value of an earlier answer, e.g. a refresh token.
  package var showsTaken: Bool {
    renew?.holes.contains { hole in
      if case .taken(let slot) = hole { slot >= wireTaken } else { false }
    } ?? false
  }

  /// The devices of a user, and the tabs of a device that share what is taken; nil if the description does not say.
  package var sharers: (devices: Int, tabs: Int)? { users.sharers }

  /// The number of users; nil if it is not limited.
  package var userCount: Int? { users.count }

  /// Whether a request contains the user, so that a request can be made that must be refused.
  package var namesUser: Bool {
    request.holes.contains { hole in
      switch hole {
      case .user, .column: true
      default: false
      }
    }
  }

  /// Whether clients take a token for ended when the storm says, though the endpoint chose a later end. Nobody may check tokens
  /// then.
  package var endsAsAsked = false

  /// Whether the storm chooses the ends of tokens.
  package var takesEnds: Bool { endsAsAsked || saysEnds }

  /// Whether a request contains the token's expiry.
  package var saysEnds: Bool {
    !request.holes.union(renew?.holes ?? []).isDisjoint(with: [.lifeSeconds, .endSeconds, .endMilliseconds])
  }

  /// The description in one line for people.
  package var outline: String {
    let who = users.count.map { "\($0) users" } ?? "users by a pattern"
    let ends = takesEnds ? "the storm chooses the ends of tokens" : "the endpoint chooses the ends of tokens"
    let hosts = places.map { $0?.text ?? "--provider" }.joined(separator: ", ")
    return
      "\(name): \(who), \(renew == nil ? "one request" : "a request and another that renews"), at \(hosts); \(ends)"
  }

  // MARK: Files beside the description

  /// Returns the path in a value, relative to the description's folder.
  private static func path(_ value: Described) throws(DescriptionError) -> String {
    let path = try value.text()
    guard !path.isEmpty, !path.utf8.contains(0) else { throw value.error("expected the name of a file") }
    guard !path.hasPrefix("/"), let slash = value.file.lastIndex(of: "/") else { return path }
    return value.file[...slash] + path
  }

  private static func read(_ value: Described, _ sizeMax: Int) throws(DescriptionError) -> (String, [UInt8]) {
    let path = try path(value)
    do {
      return (path, try InputFile.readLocal(path, of: "csv", sizeMax: sizeMax))
    } catch {
      throw value.error("\(error)")
    }
  }
}
