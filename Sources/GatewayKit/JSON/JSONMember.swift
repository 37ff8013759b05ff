internal import GatewayCore
internal import GatewayJSON

/// A member of a JSON object under construction, e.g. a claim of a token to mint. Its value is JSON text.
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
  /// Returns one JSON object of these members. A member of `others` replaces the member with the same name.
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
