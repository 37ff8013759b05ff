/// A JSON value stored as its text, for a member of a `Codable` type whose content other code reads.
///
/// Only a ``JSONCoder`` reads and writes it.
package struct JSONFragment: Codable, Hashable, Sendable {
  package let text: String

  /// Creates a fragment of a text that is JSON; it is written unchanged.
  package init(_ text: String) {
    self.text = text
  }

  package init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? JSONValueDecoder else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "only a JSONCoder reads a fragment of JSON"))
    }
    text = decoder.text
  }

  package func encode(to encoder: any Encoder) throws {
    guard let encoder = encoder as? JSONValueEncoder else {
      throw EncodingError.invalidValue(
        text, .init(codingPath: encoder.codingPath, debugDescription: "only a JSONCoder writes a fragment of JSON"))
    }
    encoder.encode(fragment: text)
  }
}
