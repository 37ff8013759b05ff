internal import GatewayCore
internal import GatewayJSON

/// The name of a message in the report: the value of a member, or a word.
enum WireLabel: Hashable, Sendable {
  case pointer(JSONPointer)
  /// The whole text of the message.
  case text
  case word(String)

  init(_ described: Described) throws(DescriptionError) {
    let text = try described.text()
    if text.hasPrefix("/") {
      self = .pointer(try JSONPointer(described))
    } else if text == "text" {
      self = .text
    } else {
      guard !text.isEmpty else { throw described.error("a label is a pointer, \"text\" or a word") }
      self = .word(ReportLabel.cleaned(text))
    }
  }
}
