import GatewayFleet
import Glibc
import Synchronization

/// The progress line of a storm on standard error. On a terminal it is overwritten a few times a second; elsewhere a new line
/// is added every ten seconds.
final class ProgressLine: Sendable {
  private let isTerminal = Terminal.isBehind(STDERR_FILENO)
  private let text: ProgressText
  private let lines = Mutex(ProgressSchedule())
  /// Whether the first trouble has been printed.
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
      // A line that wraps cannot be overwritten.
      write("\r\u{1B}[K" + text.line(progress, columns: (Terminal.columns(of: STDERR_FILENO) ?? 80) - 1))
    } else if lines.withLock({ $0.isDue(at: progress.seconds) }) {
      write(text.line(progress, columns: .max) + "\n")
    }
  }

  /// Clears the line.
  func clear() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  /// Clears the line at the end, and waits until it is written.
  func finish() {
    clear()
    LineWriter.standardError.flush()
  }

  /// Writes without blocking a loop, even if the terminal is stopped or the pipe is not read.
  private func write(_ text: String) {
    LineWriter.standardError.add(text)
  }
}
