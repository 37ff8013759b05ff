package import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

// A report as text and as JSON.

extension TokenReport {
  /// Returns one line for each statement.
  ///
  /// - Parameter say: Formats a time.
  package func text(_ say: (WallTime) -> String) -> String {
    let lines = rows.compactMap { row -> String? in
      guard let label = row.label, let text = row.value.text(say) else { return nil }
      return label + String(repeating: " ", count: max(0, labelWidth - label.count) + 2) + text
    }
    return ([headline] + lines).joined(separator: "\n")
  }

  /// The report as one JSON object.
  package var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("valid", isValid)
    if let scheme { writer.member("scheme", scheme) }
    for row in rows { row.write(to: &writer) }
    writer.endObject()
    return writer.text
  }
}

extension TokenReport.Row {
  fileprivate func write(to writer: inout JSONWriter) {
    guard let name else { return }
    writer.name(name)
    value.write(to: &writer)
  }
}

extension TokenReport.Value {
  /// Returns the value as text; nil if it is only in the JSON.
  fileprivate func text(_ say: (WallTime) -> String) -> String? {
    switch self {
    case .text(let text): text
    case .number(let number): String(number)
    case .yes: "yes"
    case .time(let time, let before, let otherwise):
      (time.map(say) ?? otherwise).map { before + $0 }
    case .beyond(_, let words): words
    case .list(let texts): texts.joined(separator: ", ")
    case .object: nil
    }
  }

  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .text(let text): writer.string(text)
    case .number(let number): writer.raw(String(number))
    case .yes: writer.raw("true")
    case .time(let time, _, _): writer.raw(time.map(NumericDate.text) ?? "null")
    case .beyond(let number, _): writer.raw(number)
    case .list(let texts):
      writer.beginArray()
      for text in texts { writer.string(text) }
      writer.endArray()
    case .object(let rows):
      writer.beginObject()
      for row in rows { row.write(to: &writer) }
      writer.endObject()
    }
  }
}
