import GatewayFleet
import Glibc
import Synchronization

/// The line of a storm on standard error while it runs.
///
/// A terminal's line is rewritten a few times a second; elsewhere another is added every ten seconds.
final class ProgressLine: Sendable {
  private let isTerminal = Terminal.isBehind(STDERR_FILENO)
  private let text: ProgressText
  private let lines = Mutex(ProgressSchedule())
  /// Whether the first trouble was told.
  private let hasToldTrouble = Atomic<Bool>(false)

  private static let troubleMax = 600

  init(clients: Int) {
    text = ProgressText(clients: clients)
  }

  func show(_ progress: StormProgress) {
    if let trouble = progress.trouble, !hasToldTrouble.exchange(true, ordering: .relaxed) {
      clear()
      write(
        "postern: \(VisibleText.escaping(String(trouble.prefix(Self.troubleMax)))) (the first; the report counts all)\n"
      )
    }
    if isTerminal {
      // A line that wraps could not be written over.
      write("\r\u{1B}[K" + text.line(progress, columns: (Terminal.columns(of: STDERR_FILENO) ?? 80) - 1))
    } else if lines.withLock({ $0.isDue(at: progress.seconds) }) {
      write(text.line(progress, columns: .max) + "\n")
    }
  }

  /// Takes the line away.
  func clear() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  /// The same at the end, when nothing is to be left behind.
  func finish() {
    clear()
    LineWriter.standardError.flush()
  }

  /// A terminal that was stopped, or a pipe that nobody reads, stops no loop.
  private func write(_ text: String) {
    LineWriter.standardError.add(text)
  }
}
