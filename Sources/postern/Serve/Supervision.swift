import GatewayCore
import GatewayRuntime
import PosternTesting

/// A gateway's reports to the service manager, from its first client to its last.
///
/// With systemd, `systemctl start` returns when clients are accepted, and a gateway whose loops hang is restarted.
struct Supervision: Sendable {
  private let manager: NotifySocket?
  private let log: OperatorLog
  /// The time for the work that remains when the last client has gone.
  private static let slack = Duration.seconds(5)

  /// A manager that cannot be told is one warning, and no reason not to serve.
  init(_ environment: [String: String], _ log: OperatorLog) {
    self.log = log
    do {
      manager = try NotifySocket(environment)
    } catch {
      manager = nil
      warn(error)
    }
  }

  /// Says that clients are taken, and from then on that the loops answer, twice in the time that the manager waits.
  func begin(_ running: RunningGateway) {
    tell(.ready(status: Self.status(running)))
    guard let manager, let watchdog = manager.watchdog else { return }
    Task {
      // The next one comes soon: one that is lost is not worth a line.
      await running.pulse(every: watchdog / 2) { try? manager.tell(.alive) }
    }
  }

  /// Reloads, and says so before and afterwards.
  func reload(_ running: RunningGateway, _ body: () async -> Void) async {
    tell(.reloading(since: SystemTime.sinceBoot))
    await body()
    tell(.ready(status: Self.status(running)))
  }

  /// Says that the gateway ends, and how long that may take.
  func stop(within time: Duration) {
    tell(.stopping(within: time + Self.slack))
  }

  private static func status(_ running: RunningGateway) -> String {
    "Serving on port \(running.port), control port \(running.controlPort)"
  }

  private func tell(_ news: ServiceNews) {
    do {
      try manager?.tell(news)
    } catch {
      warn(error)
    }
  }

  private func warn(_ error: NotifySocketError) {
    log.write(.warning, "service_manager_deaf", ["error": "\(error)"])
  }
}
