package import GatewayCore

/// Something that happened, for an operator. Contains no token and no secret.
package struct LogEvent: Hashable, Sendable {
  /// One value with its name. A peer may have written the value, so the code that formats the line escapes it.
  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var level: LogLevel
  /// The event's name, in snake case.
  package var name: String
  package var fields: [Field]

  package init(_ level: LogLevel, _ name: String, _ fields: [Field] = []) {
    self.level = level
    self.name = name
    self.fields = fields
  }

  /// Returns the fields for a claim that does not match; none for nil.
  package static func fields(of mismatch: ClaimMismatch?) -> [Field] {
    mismatch.map { [Field("expected", $0.expected), Field("presented", $0.presented)] } ?? []
  }

  /// The value of the field of that name; nil if there is none.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// The log of a gateway's loops, from a level on.
///
/// ``write`` is called on a loop, and must not wait for anything.
package struct GatewayLog: Sendable {
  package let level: LogLevel
  package let write: @Sendable (LogEvent) -> Void

  package init(level: LogLevel, write: @escaping @Sendable (LogEvent) -> Void) {
    self.level = level
    self.write = write
  }

  /// Writes an event if its level is in the log, for what no loop reports.
  package func note(_ level: LogLevel, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    guard level <= self.level else { return }
    write(LogEvent(level, event, fields.map { LogEvent.Field($0.key, $0.value) }))
  }
}
