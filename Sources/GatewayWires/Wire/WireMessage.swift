internal import GatewayCore
internal import GatewayJSON

/// A message that a client of a described wire sends, in one or several parts.
struct WireMessage: Sendable {
  /// One of several messages that are sent together, e.g. a line of a text protocol.
  struct Part: Sendable {
    let template: Template
    /// The frame kind, if it differs from the wire's.
    let kind: Frame.Kind?
    /// The names of the members with the token, in lower case without punctuation; nil if it occurs elsewhere too.
    let tokenMembers: [String]?
    /// The pattern by which a gateway recognises it; nil if it cannot.
    let pattern: MessagePattern?

    var saysToken: Bool { template.holes.contains(.token) }
  }

  let parts: [Part]

  /// Whether it contains the client's token.
  var saysToken: Bool { parts.contains(where: \.saysToken) }

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    parts = try described.oneOrMore().map { (part) throws(DescriptionError) in try Self.part(part, names) }
    guard !parts.isEmpty else { throw described.error("an empty list says nothing") }
  }

  private static let keys = ["json", "text", "hex", "prefix", "kind", "known_by", "take"]

  /// Adds the names under which a gateway takes values from the message to `names`.
  static func collectHeard(in described: Described, into names: inout [String]) throws(DescriptionError) {
    for part in try described.oneOrMore() { try Hearing.collect(part.object(keys)["take"], into: &names) }
  }

  private static func part(_ described: Described, _ names: HoleNames) throws(DescriptionError) -> Part {
    let part = try described.object(keys)
    let kind = try part["kind"].map { (kind) throws(DescriptionError) -> Frame.Kind in
      switch try kind.text() {
      case "text": .text
      case "binary": .binary
      case let other: throw kind.unknown(other, "kind of frames", among: ["text", "binary"])
      }
    }
    for name in ["known_by", "take"] {
      if let pointing = part[name], part["json"] == nil {
        throw pointing.error("points into JSON, and the message is none")
      }
    }
    var knownBy: [(pointer: JSONPointer, matcher: JSONMatcher)] = []
    for condition in try part["known_by"]?.members() ?? [] {
      let pointer = try JSONPointer(condition.name, at: condition.value)
      let matcher = try JSONMatcher(condition.value, names)
      guard matcher.holes.isEmpty else {
        throw condition.value.error("has no holes: a gateway knows the message before it knows the client")
      }
      knownBy.append((pointer, matcher))
    }
    let template = try template(described, part, names)
    return Part(
      template: template, kind: kind, tokenMembers: part["json"].flatMap { Self.tokenMembers(in: $0.value) },
      pattern: try MessagePattern(part, knownBy: knownBy, names))
  }

  /// Returns the value for ``Part/tokenMembers``.
  static func tokenMembers(in json: PlacedJSON) -> [String]? {
    func holds(_ value: PlacedJSON) -> Bool {
      if case .string(let text) = value.kind { text.contains(bytesOf: "{{token") } else { false }
    }
    switch json.kind {
    case .object(let members):
      var names: [String] = []
      for member in members {
        if holds(member.value) {
          names.append(redactable(member.name))
        } else if let inner = tokenMembers(in: member.value) {
          names += inner
        } else {
          return nil
        }
      }
      return names
    case .array(let elements):
      var names: [String] = []
      for element in elements {
        guard !holds(element), let inner = tokenMembers(in: element) else { return nil }
        names += inner
      }
      return names
    case .string, .number, .bool, .null: return holds(json) ? nil : []
    }
  }

  /// Returns a member's name as a redaction knows it.
  static func redactable(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// The members of a message of the gateway's.
  static let saidKeys = ["json", "text", "hex", "prefix"]

  /// Reads the template of `json`, `text` or `hex` with its prefix, for messages and for `as`.
  static func template(
    _ described: Described, _ part: DescribedObject, _ names: HoleNames
  ) throws(DescriptionError) -> Template {
    var template =
      try part["prefix"].map { (prefix) throws(DescriptionError) in try Template(prefix, names) } ?? Template()
    switch (part["json"], part["text"], part["hex"]) {
    case (let json?, nil, nil): template.append(try Template(json: json, names))
    case (nil, let text?, nil): template.append(try Template(text, names))
    case (nil, nil, let hex?): template.append(try Template(hex: hex))
    case (nil, nil, nil): throw described.error("says nothing; \"json\": … or \"text\": \"…\", or bytes as \"hex\"")
    case (_?, _?, nil): throw described.error("\"json\" and \"text\" are both given; remove one")
    default: throw described.error("has several of \"json\", \"text\" and \"hex\"; keep one")
    }
    return template
  }
}
