internal import GatewayCore
internal import GatewayJSON

extension Template {
  /// Reads a template from a text in a description.
  package init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    try self.init(described.text(), at: described, names, .plain)
  }

  /// Reads bytes in hexadecimal digits, with blanks between them if need be, e.g. `2a 00`. They have no holes.
  init(hex described: Described) throws(DescriptionError) {
    self.init()
    append(try described.hexBytes())
  }

  /// Reads a template for a path or a query, in which values are percent-encoded.
  package init(url described: Described, _ names: HoleNames) throws(DescriptionError) {
    try self.init(described.text(), at: described, names, .url)
  }

  /// Reads a template for a form, in which everything is percent-encoded.
  package init(form described: Described, _ names: HoleNames) throws(DescriptionError) {
    try self.init(described.text(), at: described, names, .form)
  }

  /// Reads a template of a JSON text with holes in its strings.
  package init(json described: Described, _ names: HoleNames) throws(DescriptionError) {
    try append(json: described, names)
  }

  init(_ text: String, at described: Described, _ names: HoleNames, _ place: Place) throws(DescriptionError) {
    var rest = text[...]
    while let opening = rest.firstRange(bytesOf: "{{") {
      append(Self.written(rest[..<opening.lowerBound], place))
      guard let closing = rest.firstRange(bytesOf: "}}", from: opening.upperBound) else {
        throw described.error("a hole that begins with {{ ends with }}")
      }
      let (hole, filter, name) = try Self.hole(rest[opening.upperBound..<closing.lowerBound], at: described, names)
      if filter == .number, place == .jsonString {
        throw described.error("{{\(name):number}} stands alone in its string, whose quotes it takes away")
      }
      append(hole, filter, place, name: name)
      rest = rest[closing.upperBound...]
    }
    append(Self.written(rest, place))
  }

  private static func hole(
    _ text: Substring, at described: Described, _ names: HoleNames
  ) throws(DescriptionError) -> (Hole, HoleFilter?, name: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let hole = try names.hole(parts[0], at: described)
    guard parts.count == 2 else { return (hole, nil, parts[0]) }
    guard let filter = HoleFilter(rawValue: parts[1]) else {
      throw described.unknown(parts[1], "filter", among: HoleFilter.allCases.map(\.rawValue))
    }
    return (hole, filter, parts[0])
  }

  /// Returns the bytes of the text between holes.
  private static func written(_ text: Substring, _ place: Place) -> [UInt8] {
    if place == .form { return Array(PercentEncoding.encode(String(text)).utf8) }
    guard place == .jsonString else { return Array(text.utf8) }
    var writer = JSONWriter(capacity: text.utf8.count + 2)
    writer.string(String(text))
    return Array(writer.bytes[1..<writer.bytes.count - 1])
  }

  // MARK: JSON

  private mutating func append(json described: Described, _ names: HoleNames) throws(DescriptionError) {
    switch described.value.kind {
    case .object:
      append("{".utf8)
      for (index, member) in try described.members().enumerated() {
        guard !member.name.contains(bytesOf: "{{") else { throw member.value.error("a member's name has no holes") }
        append((index > 0 ? ",\"" : "\"").utf8)
        append(Self.written(member.name[...], .jsonString))
        append("\":".utf8)
        try append(json: member.value, names)
      }
      append("}".utf8)
    case .array:
      append("[".utf8)
      for (index, element) in try described.elements().enumerated() {
        if index > 0 { append(",".utf8) }
        try append(json: element, names)
      }
      append("]".utf8)
    case .string(let text):
      if let number = try Self.lonely(text, at: described, names) { return append(number) }
      append("\"".utf8)
      append(try Template(text, at: described, names, .jsonString))
      append("\"".utf8)
    case .number(let text): append(text.utf8)
    case .bool(let flag): append("\(flag)".utf8)
    case .null: append("null".utf8)
    }
  }

  /// Returns the hole of a string that only consists of a hole with the filter `:number`; nil for another string.
  static func lonely(_ text: String, at described: Described, _ names: HoleNames) throws(DescriptionError) -> Template?
  {
    guard text.hasPrefix("{{"), text.hasSuffix(":number}}"), text.components(of: "{{") == 2 else { return nil }
    let (hole, filter, name) = try hole(text.dropFirst(2).dropLast(2), at: described, names)
    var template = Template()
    template.append(hole, filter, .plain, name: name)
    return template
  }
}

extension String {
  /// Returns the number of parts between occurrences of `separator`.
  fileprivate func components(of separator: String) -> Int { ranges(bytesOf: separator).count + 1 }
}
