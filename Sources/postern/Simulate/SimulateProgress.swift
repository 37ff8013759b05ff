import FoundationEssentials
import GatewayCore
import GatewayFleet
import GatewayPlanner
import Glibc
import Synchronization

/// The line of a simulated storm on standard error while it runs, on a terminal only: how far virtual time is, for
/// instance, and how fast.
final class SimulateProgress: Sendable {
  private let isTerminal = Terminal.isBehind(STDERR_FILENO)
  private let clients: Int
  private let began = SystemTime.sinceBoot
  private let shown = Mutex(Duration.zero)

  private static let pause = Duration.milliseconds(200)

  init(clients: Int) {
    self.clients = clients
  }

  func show(_ progress: MachineWorld.Progress) {
    guard isTerminal else { return }
    let now = SystemTime.sinceBoot
    let isDue = shown.withLock { last in
      guard now - last >= Self.pause else { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let rate = Double(progress.events) / max(0.001, (now - began).inSeconds)
    let parts = [
      "\(Figures.count(Int(progress.storm.seconds))) s of virtual time", progress.storm.stage.rawValue,
      "\(Figures.count(progress.storm.connected)) connected", "\(Figures.count(progress.queued)) wait",
      "\(Figures.count(Int(rate))) events/s",
    ]
    let columns = (Terminal.columns(of: STDERR_FILENO) ?? 80) - 1
    LineWriter.standardError.add("\r\u{1B}[K" + String(parts.joined(separator: " · ").prefix(max(0, columns))))
  }

  /// Says how fast it was.
  func end(_ events: UInt64) {
    guard isTerminal else { return }
    let seconds = max(0.001, (SystemTime.sinceBoot - began).inSeconds)
    LineWriter.standardError.add(
      "\r\u{1B}[K\(Figures.count(Int(clamping: events))) events in \(Figures.seconds(seconds)), "
        + "\(Figures.count(Int(Double(events) / seconds))) a second\n")
  }

  func clear() { LineWriter.standardError.flush() }
}
