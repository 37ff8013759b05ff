import GatewayFleet
import GatewayPlanner
import Synchronization

/// The progress line of a question on standard error: the value on trial, and the progress of the full-size world that proves
/// the answer.
final class PlanProgress: Sendable {
  private let line = StatusLine()
  private let name: String
  private let through = Atomic<Int>(0)

  init(_ name: String) {
    self.name = name
  }

  func show(_ progress: Planner.Progress, _ question: Question?) {
    line.show { [name] in
      let start =
        "\(name): \(Figures.count(progress.runs)) worlds"
        + (question.map { " · \(PlanText.value(progress.value, $0))" } ?? "")
      guard let full = progress.full else { return start }
      return start + " at full size · " + SimulateProgress.text(full.storm, waiting: full.queued)
    }
  }

  /// Counts one more finished world of a comparison.
  func isThrough(of all: Int) {
    let done = through.add(1, ordering: .relaxed).newValue
    line.show { [name] in "\(name): \(done) of \(all) worlds" }
  }

  func end() { line.end() }
}
