package import GatewayCore

/// A wire format as the journal knows it: its name, and what may be shown of its messages.
package struct JournalWire: Sendable {
  package let name: String
  /// How clients renew their tokens; nil if unknown.
  package let renewal: RefreshHabit.How?
  private let redact: @Sendable (Frame, _ isUnderstood: Bool) -> String?

  /// Creates a wire format. `redact` removes the secrets from messages that are shown; nil for nothing.
  package init(
    _ name: String, renewal: RefreshHabit.How? = nil,
    redact: @escaping @Sendable (Frame, _ isUnderstood: Bool) -> String?
  ) {
    self.name = name
    self.renewal = renewal
    self.redact = redact
  }

  /// Holds dialects alone: a binding holds its vendor, the vendor the gateway, and the gateway the journal.
  init(_ binding: DialectBinding) {
    let (dialect, jsonDialect) = (binding.dialect, binding.jsonDialect)
    self.init(dialect.name, renewal: dialect.renewal) { frame, isUnderstood in
      let isJSON = frame.kind == .text && frame.payload.first == UInt8(ascii: "{")
      let dialect = isJSON ? jsonDialect ?? dialect : dialect
      return frame.payload.withUnsafeBytes { dialect.redacted($0, frame.kind, isUnderstood: isUnderstood) }
    }
  }

  /// Returns what may be shown of a message; nil for nothing.
  func redacted(_ frame: Frame, isUnderstood: Bool) -> String? { redact(frame, isUnderstood) }
}
