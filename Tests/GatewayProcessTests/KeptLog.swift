import GatewayRuntime
import Synchronization

/// A log that keeps its events.
final class KeptLog: Sendable {
  private let events = Mutex<[LogEvent]>([])

  var log: GatewayLog {
    GatewayLog(level: .info) { [self] event in events.withLock { $0.append(event) } }
  }

  /// The names of the events, in their order.
  var names: [String] { events.withLock { $0.map(\.name) } }

  /// The first event of that name.
  subscript(name: String) -> LogEvent? { events.withLock { $0.first { $0.name == name } } }
}
