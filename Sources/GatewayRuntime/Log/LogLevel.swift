/// The four levels of the log, of which each holds those before it: with `info` an operator reads who was refused, for
/// instance, but not every login.
package enum LogLevel: String, Comparable, CaseIterable, Sendable {
  /// Somebody must do something.
  case error
  /// Somebody should look.
  case warning
  /// What an operator asks about afterwards: who was refused, who was cut off, what was ordered.
  case info
  /// Every login, refresh and end.
  case debug

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    }
  }

  package static func < (one: LogLevel, other: LogLevel) -> Bool { one.rank < other.rank }
}
