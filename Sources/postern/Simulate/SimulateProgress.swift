import GatewayFleet
import GatewayPlanner
import GatewayReport

/// The progress line of a simulated storm on standard error: the virtual time and the speed.
final class SimulateProgress: Sendable {
  private let line = StatusLine()

  /// Shows the progress of a world of machines.
  func show(_ progress: MachineWorld.Progress) {
    line.show { [line] in
      let rate = Double(progress.events) / line.seconds
      return Self.text(progress.storm, waiting: progress.queued) + " · \(Figures.count(Int(rate))) events/s"
    }
  }

  /// Shows the progress of a wire's world, which counts no events.
  func show(_ storm: StormProgress, waiting: Int) {
    line.show { Self.text(storm, waiting: waiting) }
  }

  static func text(_ storm: StormProgress, waiting: Int) -> String {
    [
      "\(Figures.count(Int(storm.seconds))) s of virtual time", storm.stage.rawValue,
      "\(Figures.count(storm.connected)) connected", "\(Figures.count(waiting)) wait",
    ].joined(separator: " · ")
  }

  /// Ends the line, with the speed if events were counted.
  func end(_ events: UInt64?) {
    line.end(
      events.map {
        "\(Figures.count(Int(clamping: $0))) events in \(Figures.seconds(line.seconds)), "
          + "\(Figures.count(Int(Double($0) / line.seconds))) a second"
      })
  }
}
