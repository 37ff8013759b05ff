/// The place in a journal behind which an order reads, as its body says it.
///
/// It is the number of a line, or where there are several nodes the text that an answer has as `next`.
package struct JournalPlace: Codable, Hashable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// The line with that number.
  package init(_ number: Int) {
    text = String(number)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int64.self) {
      text = String(number)
    } else {
      text = try container.decode(String.self)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let number = Int64(text) { try container.encode(number) } else { try container.encode(text) }
  }
}
