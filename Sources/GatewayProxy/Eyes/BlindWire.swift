internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewayWires

/// The wire of a proxy that reads no message: it counts text and binary messages, and knows no user.
enum BlindWire {
  static let name = "blind"
  /// Its number in the journal.
  static let number: UInt8 = 0
  /// The longest text before the JSON of a message that is shown: `42` of Socket.IO, `MSG `.
  private static let prefixMax = 4

  /// Returns a described wire as the journal knows it.
  static func journal(of dialect: ServedDialect) -> JournalWire {
    // Members that a description does not name may hold anything.
    JournalWire(dialect.name, renewal: dialect.renewal) { frame, _ in
      frame.payload.withUnsafeBytes { dialect.redacted($0, frame.kind, isUnderstood: false) }
    }
  }

  /// The wire as the journal knows it. It shows JSON with its secrets and its longer texts redacted, and nothing else.
  static var journal: JournalWire {
    let redaction = JSONRedaction()
    return JournalWire(name) { frame, _ in
      frame.payload.withUnsafeBytes { bytes in
        guard let start = bytes.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
          start <= prefixMax,
          let json = redaction.text(UnsafeRawBufferPointer(rebasing: bytes[start...]), isUnderstood: false)
        else { return nil }
        return String(decoding: bytes[..<start], as: UTF8.self) + json
      }
    }
  }
}
