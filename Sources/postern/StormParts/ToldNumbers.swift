/// A check of every number in a message of another process, whatever it means.
///
/// Decoding fails if a number is negative, or larger than any storm's. So no sum of such numbers overflows.
struct ToldNumbers: Decodable {
  /// The bounds of a number: up to the largest integer that a JSON reader need not round (RFC 8259, section 6). A thousand of
  /// them can be added.
  private static let bounds = 0...0x1p53
  /// The path of the only difference among the numbers. It is between two clocks, may be negative, and is never added.
  private static let difference = ["tokens", "clockOffset"]

  private struct Name: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
  }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Name.self) {
      for name in members.allKeys { _ = try members.decode(ToldNumbers.self, forKey: name) }
    } else if var elements = try? decoder.unkeyedContainer() {
      while !elements.isAtEnd { _ = try elements.decode(ToldNumbers.self) }
    } else {
      let value = try decoder.singleValueContainer()
      guard !value.decodeNil(), (try? value.decode(Bool.self)) == nil, (try? value.decode(String.self)) == nil else {
        return
      }
      let isDifference = decoder.codingPath.suffix(2).map(\.stringValue) == Self.difference
      let number = try value.decode(Double.self)
      guard Self.bounds.contains(isDifference ? abs(number) : number) else {
        throw DecodingError.dataCorruptedError(in: value, debugDescription: "a number that no storm comes to")
      }
    }
  }
}
