package import GatewayRuntime

/// The gateway's reports to the service manager: ready, reloading, stopping, and signs of life for the watchdog.
package struct Supervision: Sendable {
  private let manager: NotifySocket?
  private let log: GatewayLog
  /// The time for what remains after the last client has gone.
  private static let slack = Duration.seconds(5)

  /// Reads the manager's address from the variables of the process. A failure is logged as one warning, and does not stop the
  /// gateway.
  package init(_ environment: [String: String], _ log: GatewayLog) {
    self.log = log
    do {
      manager = try NotifySocket(environment)
    } catch {
      manager = nil
      warn(error)
    }
  }

  /// Reports that clients are accepted, and from then on, twice per watchdog interval, that the loops respond.
  func begin(_ running: RunningGateway) {
    tell(.ready(status: Self.status(running)))
    guard let manager, let watchdog = manager.watchdog else { return }
    Task {
      // The next one follows soon, so a lost one is not logged.
      await running.pulse(every: watchdog / 2) { try? manager.tell(.alive) }
    }
  }

  /// Reports that a reload begins.
  func beginReload() {
    tell(.reloading(since: SystemTime.sinceBoot))
  }

  /// Reports that a reload has ended.
  func endReload(_ running: RunningGateway) {
    tell(.ready(status: Self.status(running)))
  }

  /// Reports that the gateway ends, and how long that may take.
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
    log.note(.warning, "service_manager_deaf", ["error": "\(error)"])
  }
}
