internal import GatewayCore

/// A wire format as the journal knows it: by its name, `plain` for instance, and by what it lets be seen of its messages.
///
/// Its dialects alone: behind a binding stands its vendor, which holds the gateway, which holds the journal.
struct JournalWire: Sendable {
  private let dialect: any Dialect
  /// Speaks to those who speak JSON.
  private let jsonDialect: (any Dialect)?

  init(_ binding: DialectBinding) {
    dialect = binding.dialect
    jsonDialect = binding.jsonDialect
  }

  var name: String { dialect.name }

  /// What may be seen of a message; nil for nothing.
  func redacted(_ frame: Frame, isUnderstood: Bool) -> String? {
    let isJSON = frame.kind == .text && frame.payload.first == UInt8(ascii: "{")
    let dialect = isJSON ? jsonDialect ?? dialect : dialect
    return frame.payload.withUnsafeBytes { dialect.redacted($0, frame.kind, isUnderstood: isUnderstood) }
  }
}
