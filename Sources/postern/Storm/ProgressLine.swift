import Foundation
import GatewayLoad

/// One line on a terminal that is written anew a few times a second; nothing where standard error is none.
struct ProgressLine: Sendable {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let clients: Int

  private static let barWidth = 16

  init(clients: Int) {
    self.clients = clients
  }

  func show(_ progress: StormProgress) {
    guard isTerminal else { return }
    // A line that wraps could not be written over.
    write("\r\u{1B}[K" + text(progress).prefix(max(20, columns - 1)))
  }

  /// Takes the line away.
  func clear() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  private func text(_ progress: StormProgress) -> String {
    let share = clients == 0 ? 1 : Double(progress.settled) / Double(clients)
    let filled = min(Self.barWidth, Int(share * Double(Self.barWidth)))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.barWidth - filled)
    var parts = [
      "\(Figures.decimal(progress.seconds, places: 1)) s", progress.stage.rawValue,
      "\(Figures.count(progress.connected)) connected", "\(Figures.count(progress.refreshed)) refreshed",
    ]
    if progress.lost > 0 { parts.append("\(Figures.count(progress.lost)) cut off") }
    if progress.failed > 0 { parts.append("\(Figures.count(progress.failed)) failed") }
    if progress.inFlight > 0 { parts.append("\(Figures.count(progress.inFlight)) at the provider") }
    return bar + " " + parts.joined(separator: " · ")
  }

  private var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
