internal import GatewayCore

/// A wire format as the journal knows it: by its name, `plain` for instance, and by what it lets be seen of its messages.
struct JournalWire: Sendable {
  private let binding: DialectBinding

  init(_ binding: DialectBinding) {
    self.binding = binding
  }

  var name: String { binding.dialect.name }

  /// What may be seen of a message; nil for nothing.
  func redacted(_ frame: Frame, isUnderstood: Bool) -> String? {
    let isJSON = frame.kind == .text && frame.payload.first == UInt8(ascii: "{")
    let dialect = binding.dialect(forJSON: isJSON)
    return frame.payload.withUnsafeBytes { dialect.redacted($0, frame.kind, isUnderstood: isUnderstood) }
  }
}
