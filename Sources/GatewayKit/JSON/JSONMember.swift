internal import GatewayCore
internal import GatewayJSON

/// A member of a JSON object that is made of several, its value as JSON text: a claim of a token to mint, for instance.
package struct JSONMember: Hashable, Sendable {
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

  private static func quoted(_ string: String) -> String {
    var writer = JSONWriter()
    writer.string(string)
    return writer.text
  }
}

extension [JSONMember] {
  /// One JSON object of these; `others` take the place of those that have the same name.
  package func object(_ others: [JSONMember] = []) -> [UInt8] {
    let named = Set(others.map { Name($0.name) })
    let kept = filter { !named.contains(Name($0.name)) }
    var writer = JSONWriter()
    writer.beginObject()
    for member in kept + others {
      writer.name(member.name)
      writer.raw(member.json)
    }
    writer.endObject()
    return writer.bytes
  }
}
