/// A value of a JSON text that a person wrote, with its place in it.
package struct PlacedJSON: Hashable, Sendable {
  /// The value itself; a number is the text that a flag would have.
  package indirect enum Kind: Hashable, Sendable {
    case object([Member])
    case array([PlacedJSON])
    case string(String)
    /// A number as flags read it: a whole number has no fraction, any other has a point.
    case number(String)
    case bool(Bool)
    case null
  }

  /// A member of an object; no object has two members of one name.
  package struct Member: Hashable, Sendable {
    package let name: String
    /// The place where the name begins.
    package let place: TextPlace
    package let value: PlacedJSON
  }

  package let kind: Kind
  package let place: TextPlace

  /// The kind of value, as a part of a sentence.
  package var noun: String {
    switch kind {
    case .object: "an object"
    case .array: "an array"
    case .string: "text"
    case .number: "a number"
    case .bool: "a boolean"
    case .null: "null"
    }
  }

  /// Returns the object's member of that name, byte for byte; nil if there is none.
  package func member(_ name: String) -> PlacedJSON? {
    guard case .object(let members) = kind else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// Writes the value as JSON.
  package func write(to json: inout JSONWriter) {
    switch kind {
    case .object(let members):
      json.beginObject()
      for member in members {
        json.name(member.name)
        member.value.write(to: &json)
      }
      json.endObject()
    case .array(let elements):
      json.beginArray()
      for element in elements { element.write(to: &json) }
      json.endArray()
    case .string(let text): json.string(text)
    case .number(let text): json.raw(text)
    case .bool(let flag): json.bool(flag)
    case .null: json.null()
    }
  }
}
