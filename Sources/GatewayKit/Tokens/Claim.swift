internal import GatewayJSON

/// A claim of a token to mint, its value as JSON text: `level=3`, for instance, of `--claim`.
package struct Claim: Hashable, Sendable {
  package let name: String
  package let json: String

  package init(_ name: String, json: String) {
    self.name = name
    self.json = json
  }

  package init(_ name: String, _ text: String) {
    self.init(name, json: Self.quoted(text))
  }

  package init(_ name: String, _ texts: [String]) {
    self.init(name, json: "[\(texts.map(Self.quoted).joined(separator: ","))]")
  }

  /// As a flag has it, `NAME=VALUE`: a JSON value, or text where it is none.
  init(_ flag: Arguments.Value) throws {
    let parts = flag.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError(flag.source, value: flag.text, expected: "NAME=VALUE, the value JSON or text")
    }
    let value = try? JSONDocument.parse("[\(parts[1])]").root.elements
    if let value, value.count == 1 {
      self.init(parts[0], json: value[0].text)
    } else {
      self.init(parts[0], parts[1])
    }
  }

  private static func quoted(_ string: String) -> String {
    var writer = JSONWriter()
    writer.string(string)
    return writer.text
  }
}

extension [Claim] {
  /// One JSON object of these claims; `others` take the place of those that have the same name.
  package func object(_ others: [Claim]) -> [UInt8] {
    let kept = filter { claim in !others.contains { $0.name == claim.name } }
    var writer = JSONWriter()
    writer.beginObject()
    for claim in kept + others {
      writer.name(claim.name)
      writer.raw(claim.json)
    }
    writer.endObject()
    return writer.bytes
  }
}
