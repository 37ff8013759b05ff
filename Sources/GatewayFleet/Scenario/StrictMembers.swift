internal import GatewayCore

/// The members of a JSON object that a person wrote. An unknown member is an error.
struct StrictMembers {
  struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  let container: KeyedDecodingContainer<Key>

  init(_ decoder: any Decoder, known: [String]) throws {
    container = try decoder.container(keyedBy: Key.self)
    for key in container.allKeys where !known.contains(where: { $0.utf8.elementsEqual(key.stringValue.utf8) }) {
      throw wrong("'\(key.stringValue)' means nothing here; expected \(known.joined(separator: ", "))", at: key)
    }
  }

  /// Returns an error about the object, or about one of its members.
  func wrong(_ reason: String, at key: Key? = nil) -> any Error {
    DecodingError.dataCorrupted(
      .init(codingPath: container.codingPath + (key.map { [$0] } ?? []), debugDescription: reason))
  }

  /// Returns one of a fixed set of words; nil if the member is missing.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String, _: Word.Type) throws -> Word? {
    guard let text = try container.decodeIfPresent(String.self, forKey: Key(name)) else { return nil }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong("\"\(name)\" is '\(text)'; expected \(words)", at: Key(name))
    }
    return word
  }

  /// Returns a number of seconds; nil if the member is missing.
  func seconds(_ name: String, in range: ClosedRange<Double>) throws -> Duration? {
    guard let seconds = try container.decodeIfPresent(Double.self, forKey: Key(name)) else { return nil }
    guard range.contains(seconds) else {
      throw wrong(
        "\"\(name)\" is \(seconds); expected \(range.lowerBound) to \(range.upperBound)", at: Key(name))
    }
    return .saturating(seconds: seconds)
  }
}
