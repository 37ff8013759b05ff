import GatewayRuntime
import Synchronization

/// A log that keeps its events.
final class KeptLog: Sendable {
  private let events = Mutex<[LogEvent]>([])
  private let listener = Mutex<(@Sendable (LogEvent) -> Void)?>(nil)

  var log: GatewayLog {
    GatewayLog(level: .info) { [self] event in
      events.withLock { $0.append(event) }
      listener.withLock { $0 }?(event)
    }
  }

  /// Calls `body` with each event from now on.
  func onEvent(_ body: @escaping @Sendable (LogEvent) -> Void) { listener.withLock { $0 = body } }

  /// The events of that name.
  func all(_ name: String) -> [LogEvent] { events.withLock { $0.filter { $0.name == name } } }

  /// The names of the events, in their order.
  var names: [String] { events.withLock { $0.map(\.name) } }

  /// The first event of that name.
  subscript(name: String) -> LogEvent? { events.withLock { $0.first { $0.name == name } } }
}
