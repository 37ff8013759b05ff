internal import GatewayCore

/// The names that the holes of one description may have.
package struct HoleNames: Hashable, Sendable {
  /// The names that rules take, in the order of their slots.
  package var taken: [String]
  /// The messages that are sent.
  package var sent: [String]
  /// The names that a gateway playing the description takes from clients' messages; empty on the client's side.
  package var heard: [String] = []
  /// The names in ``heard`` for ``ofGateway``.
  var heardByGateway: [String] = []
  /// The names without a dot that have a value.
  package var words: Set<String>
  /// The columns of the user list; nil if the description does not know them.
  package var columns: [String]?
  /// The requirement for a hole with another name, as the end of a sentence.
  package var takenNeeds: String
  /// The secrets on the command line; nil if unknown.
  package var secrets: Set<String>?

  package init(
    taken: [String] = [], sent: [String] = [], words: Set<String> = HoleNames.client, columns: [String]? = nil,
    secrets: Set<String>? = nil,
    takenNeeds: String = "a rule with \"take\": {\"NAME\": POINTER} takes it"
  ) {
    self.taken = taken
    self.sent = sent
    self.words = words
    self.columns = columns
    self.takenNeeds = takenNeeds
    self.secrets = secrets
  }

  /// The names that every client has.
  package static let client = Set(table.map(\.name)).subtracting(gateway)
  /// The further names of the gateway's side.
  package static let gateway: Set<String> = ["connection", "wait_ms"]

  /// The names in the gateway's messages.
  var ofGateway: HoleNames {
    var names = self
    names.words.formUnion(Self.gateway)
    names.heard = heardByGateway
    return names
  }

  private static let table: [(name: String, hole: Hole)] = [
    ("user", .user), ("token", .token), ("id", .id), ("number", .number), ("random", .random),
    ("now", .nowSeconds), ("now_ms", .nowMilliseconds), ("life_s", .lifeSeconds), ("end_s", .endSeconds),
    ("end_ms", .endMilliseconds), ("connection", .connection),
    ("wait_ms", .waitMilliseconds),
  ]

  /// Returns the name of a hole, without its braces.
  package func name(of hole: Hole) -> String {
    switch hole {
    case .column(let column): "user.\(column)"
    case .taken(let slot): "taken.\(taken[slot])"
    case .sent(let slot): "sent.\(sent[slot])"
    case .heard(let slot): "heard.\(heard[slot])"
    case .secret(let name): "secret.\(name)"
    default: Self.table.first { $0.hole == hole }?.name ?? ""
    }
  }

  /// Returns the hole with that name in that value of a description.
  func hole(_ name: String, at described: Described) throws(DescriptionError) -> Hole {
    if let entry = Self.table.first(where: { $0.name == name }), words.contains(name) { return entry.hole }
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[1].isEmpty else {
      throw described.unknown(name, "hole", among: known)
    }
    switch parts[0] {
    case "user":
      if columns?.isEmpty == true {
        throw described.error("there is no column '\(parts[1])'; \"users\": {\"csv\": \"users.csv\", …} has columns")
      }
      if let columns, !columns.contains(parts[1]) {
        throw described.unknown(parts[1], "column of the list of users", among: columns)
      }
      return .column(parts[1])
    case "taken":
      guard let slot = taken.firstIndex(of: parts[1]) else {
        let needs = takenNeeds.replacing(bytesOf: "NAME", with: parts[1])
        throw described.error("nothing takes '\(parts[1])'; \(needs)")
      }
      return .taken(slot)
    case "sent":
      guard let slot = sent.firstIndex(of: parts[1]) else {
        throw described.error("no message '\(parts[1])' under /say" + Described.lead(parts[1], to: sent))
      }
      return .sent(slot)
    case "heard":
      guard let slot = heard.firstIndex(of: parts[1]) else {
        throw described.error(
          "nothing takes '\(parts[1])' from a client's message; \"take\": {\"\(parts[1])\": POINTER} in a message of "
            + "/say, or in a rule of /serve/hear" + Described.lead(parts[1], to: heard))
      }
      return .heard(slot)
    case "secret":
      if let secrets, !secrets.contains(parts[1]) {
        throw described.error(
          "there is no secret '\(parts[1])'; --template-secret \(parts[1])=FILE names the file that holds it")
      }
      return .secret(parts[1])
    default: throw described.unknown(name, "hole", among: known)
    }
  }

  private var known: [String] {
    Self.table.map(\.name).filter(words.contains) + ["user.COLUMN", "taken.NAME"]
      + (sent.isEmpty ? [] : ["sent.MESSAGE"]) + ["secret.NAME"]
  }
}
