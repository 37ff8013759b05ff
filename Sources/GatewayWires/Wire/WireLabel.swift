/// What the report calls a message: the member at `/error/code`, or a word.
enum WireLabel: Hashable, Sendable {
  case pointer(JSONPointer)
  /// The whole text of the message.
  case text
  case word(String)

  static let lengthMax = 40

  init(_ described: Described) throws(DescriptionError) {
    let text = try described.text()
    if text.hasPrefix("/") {
      self = .pointer(try JSONPointer(described))
    } else if text == "text" {
      self = .text
    } else {
      guard !text.isEmpty else { throw described.error("a label is a pointer, \"text\" or a word") }
      self = .word(Self.cleaned(text))
    }
  }

  /// What may stand in a report: 40 characters of `A-Za-z0-9_.-`.
  static func cleaned(_ text: String) -> String {
    var label = ""
    for scalar in text.unicodeScalars.prefix(lengthMax) {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      label.unicodeScalars.append(isPlain || "_.-".unicodeScalars.contains(scalar) ? scalar : "_")
    }
    return label
  }
}
