import GatewayCore
import GatewayKit

/// The header fields of `--set-header`, which replace the client's.
enum ReplacedFields {
  /// The fields that belong to one connection or one message.
  private static let kept: Set<String> = [
    "connection", "upgrade", "content-length", "transfer-encoding", "te", "trailer", "expect", "via",
  ]

  /// Reads the fields, with names in lower case. Throws a ``UsageError`` if one is none, or is the proxy's own.
  static func read(_ values: [Arguments.Value]) throws -> [HTTPField] {
    var fields: [HTTPField] = []
    for value in values {
      let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].lowercased()
      guard parts.count == 2, isName(name), parts[1].utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        throw UsageError(value.source, value: value.text, expected: "a field as Origin=https://app.example")
      }
      guard !kept.contains(name), !name.hasPrefix("sec-websocket-") else {
        throw UsageError("\(value.source): the proxy sets \(name) itself")
      }
      fields.removeAll { Name($0.name) == Name(name) }
      fields.append(HTTPField(name, String(parts[1])))
    }
    return fields
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }
}
