/// The four levels of the log. Each contains those before it.
package enum LogLevel: String, Comparable, CaseIterable, Sendable {
  /// Somebody must do something.
  case error
  /// Somebody should look.
  case warning
  /// The events that an operator asks about afterwards: refusals, disconnects, orders.
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
