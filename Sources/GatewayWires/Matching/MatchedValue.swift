internal import GatewayJSON

/// A value that a message's member is compared with, e.g. `109` or `{{sent.login:number}}`.
enum MatchedValue: Hashable, Sendable {
  case string([UInt8])
  case number(Double, whole: Int64?)
  case other(PlacedJSON)
  /// A string with holes.
  case template(Template)
  /// A number with a hole.
  case numberTemplate(Template)

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    switch described.value.kind {
    case .string(let text):
      if let number = try Template.lonely(text, at: described, names) {
        self = .numberTemplate(number)
      } else {
        let template = try Template(described, names)
        self = template.literal.map { .string($0) } ?? .template(template)
      }
    case .number(let text): self = .number(Double(text) ?? .nan, whole: Int64(text))
    case .object, .array, .bool, .null: self = .other(described.value)
    }
  }

  var holes: [Hole] {
    switch self {
    case .template(let template), .numberTemplate(let template): template.holes
    case .string, .number, .other: []
    }
  }

  /// Returns whether the member is equal. A hole without a value equals nothing.
  func equals(_ view: JSONView, _ source: some HoleSource) -> Bool {
    switch self {
    case .string(let bytes): view.withUTF8 { $0.elementsEqual(bytes) } ?? false
    case .number(let number, let whole): Self.isNumber(view, number, whole)
    case .other(let json): json.equals(view)
    case .template(let template):
      Self.text(template, source).map { text in view.withUTF8 { $0.elementsEqual(text) } ?? false } ?? false
    case .numberTemplate(let template):
      Self.text(template, source).map { text in
        let text = String(decoding: text, as: UTF8.self)
        return Self.isNumber(view, Double(text) ?? .nan, Int64(text))
      } ?? false
    }
  }

  /// Returns whether the text is equal.
  func equals(_ text: some Sequence<UInt8>, _ source: some HoleSource) -> Bool {
    switch self {
    case .string(let bytes): text.elementsEqual(bytes)
    case .template(let template): Self.text(template, source).map { text.elementsEqual($0) } ?? false
    case .number, .other, .numberTemplate: false
    }
  }

  private static func text(_ template: Template, _ source: some HoleSource) -> [UInt8]? {
    var bytes: [UInt8] = []
    guard (try? template.write(to: &bytes, from: source)) != nil else { return nil }
    return bytes
  }

  fileprivate static func isNumber(_ view: JSONView, _ number: Double, _ whole: Int64?) -> Bool {
    if let whole, let integer = view.integer { return whole == integer }
    return view.number == number
  }
}

extension PlacedJSON {
  /// Returns whether a message's value is equal: objects with the same members in any order.
  func equals(_ view: JSONView) -> Bool {
    switch kind {
    case .object(let members):
      view.isObject && view.count == members.count
        && members.allSatisfy { member in view[member: member.name].map { member.value.equals($0) } ?? false }
    case .array(let elements):
      view.kind == .array && view.count == elements.count
        && elements.indices.allSatisfy { index in view.element(index).map { elements[index].equals($0) } ?? false }
    case .string(let text): view.withUTF8 { $0.elementsEqual(text.utf8) } ?? false
    case .number(let text): MatchedValue.isNumber(view, Double(text) ?? .nan, Int64(text))
    case .bool(let flag): view.bool == flag
    case .null: view.isNull
    }
  }
}
