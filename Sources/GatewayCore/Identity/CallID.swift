/// The name of a call, which is a type and an id, e.g. `default:standup`.
package struct CallID: Hashable, Sendable, CustomStringConvertible {
  /// The longest accepted name, in UTF-8 bytes.
  package static let lengthMax = 128

  /// The type and the id, joined by a colon.
  package let cid: String

  /// Creates the name from `cid`. Nil unless it is `type:id`, both of letters, digits, `_`, `-` and `!`, at most 128
  /// bytes.
  package init?(cid: String) {
    guard cid.utf8.count <= Self.lengthMax else { return nil }
    let parts = cid.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isAllowed) }) else { return nil }
    self.cid = cid
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "!"):
      true
    default:
      false
    }
  }

  /// The text before the colon.
  package var type: String { String(cid.prefix { $0 != ":" }) }

  /// The text after the colon.
  package var id: String { String(cid.drop { $0 != ":" }.dropFirst()) }

  package var description: String { cid }
}

extension CallID: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let call = CallID(cid: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the name of a call")
    }
    self = call
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(cid)
  }
}
