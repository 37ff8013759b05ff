internal import GatewayCore

/// What a client of a described wire says: `40{"token":"…"}`, for instance, or two lines at once.
struct WireMessage: Sendable {
  struct Part: Sendable {
    let template: Template
    /// In place of the wire's own.
    let kind: Frame.Kind?
    /// Whether what fills its holes is not escaped.
    let isText: Bool
  }

  let parts: [Part]

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    parts = try described.oneOrMore().map { (part) throws(DescriptionError) in try Self.part(part, names) }
    guard !parts.isEmpty else { throw described.error("an empty list says nothing") }
  }

  private static func part(_ described: Described, _ names: HoleNames) throws(DescriptionError) -> Part {
    let part = try described.object(["json", "text", "prefix", "kind", "known_by"])
    let kind = try part["kind"].map { (kind) throws(DescriptionError) -> Frame.Kind in
      switch try kind.text() {
      case "text": .text
      case "binary": .binary
      case let other: throw kind.unknown(other, "kind of frames", among: ["text", "binary"])
      }
    }
    for condition in try part["known_by"]?.members() ?? [] {
      _ = try JSONPointer(condition.name, at: condition.value)
      _ = try JSONMatcher(condition.value, names)
    }
    return Part(template: try template(described, part, names), kind: kind, isText: part["text"] != nil)
  }

  /// The template of `json` or `text`, behind its prefix. The same for what is said and for `as`.
  static func template(
    _ described: Described, _ part: DescribedObject, _ names: HoleNames
  ) throws(DescriptionError) -> Template {
    var template =
      try part["prefix"].map { (prefix) throws(DescriptionError) in try Template(prefix, names) } ?? Template()
    switch (part["json"], part["text"]) {
    case (let json?, nil): template.append(try Template(json: json, names))
    case (nil, let text?): template.append(try Template(text, names))
    case (nil, nil): throw described.error("says nothing; \"json\": … or \"text\": \"…\"")
    case (_?, _?): throw described.error("\"json\" and \"text\" are both given; one of them is meant")
    }
    return template
  }
}
