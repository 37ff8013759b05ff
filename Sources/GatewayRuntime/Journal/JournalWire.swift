internal import GatewayCore

/// A wire format as the journal knows it: its name, and what may be shown of its messages.
///
/// It holds dialects alone: a binding holds its vendor, the vendor the gateway, and the gateway the journal.
struct JournalWire: Sendable {
  private let dialect: any Dialect
  /// The dialect for clients that speak JSON.
  private let jsonDialect: (any Dialect)?

  init(_ binding: DialectBinding) {
    dialect = binding.dialect
    jsonDialect = binding.jsonDialect
  }

  var name: String { dialect.name }

  /// Returns what may be shown of a message; nil for nothing.
  func redacted(_ frame: Frame, isUnderstood: Bool) -> String? {
    let isJSON = frame.kind == .text && frame.payload.first == UInt8(ascii: "{")
    let dialect = isJSON ? jsonDialect ?? dialect : dialect
    return frame.payload.withUnsafeBytes { dialect.redacted($0, frame.kind, isUnderstood: isUnderstood) }
  }
}
