import GatewayCore
import GatewayFleet
import GatewayProcess
import Glibc
import Synchronization

/// A progress line on standard error. On a terminal it is overwritten five times a second; elsewhere a new line is added
/// every ten seconds.
final class StatusLine: Sendable {
  private let isTerminal = Terminal.isBehind(STDERR_FILENO)
  private let began = SystemTime.sinceBoot
  private let next = Mutex(SystemTime.sinceBoot)
  private let hasShown = Mutex(false)

  private static let pause = (terminal: Duration.milliseconds(200), elsewhere: Duration.seconds(10))

  init() {
    // Without a terminal, short work prints no lines.
    if !isTerminal { next.withLock { $0 = began + Self.pause.elsewhere } }
  }

  /// The duration of the work so far, in seconds.
  var seconds: Double { max(0.001, (SystemTime.sinceBoot - began).inSeconds) }

  /// Shows the text if a line is due.
  func show(_ text: () -> String) {
    let now = SystemTime.sinceBoot
    let isDue = next.withLock { next in
      guard now >= next else { return false }
      next = now + (isTerminal ? Self.pause.terminal : Self.pause.elsewhere)
      return true
    }
    guard isDue else { return }
    hasShown.withLock { $0 = true }
    guard isTerminal else { return LineWriter.standardError.add("postern: \(text())\n") }
    // A line that wraps cannot be overwritten.
    let columns = (Terminal.columns(of: STDERR_FILENO) ?? 80) - 1
    LineWriter.standardError.add("\r\u{1B}[K" + String(text().prefix(max(0, columns))))
  }

  /// Clears the line. Prints the text on a terminal, or if a line was shown.
  func end(_ text: String? = nil) {
    let hasShown = hasShown.withLock { $0 }
    let line = text.map { isTerminal || hasShown ? (isTerminal ? "" : "postern: ") + $0 + "\n" : "" } ?? ""
    LineWriter.standardError.add((isTerminal ? "\r\u{1B}[K" : "") + line)
    LineWriter.standardError.flush()
  }
}
