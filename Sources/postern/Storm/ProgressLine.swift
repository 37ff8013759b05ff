import Foundation
import GatewayLoad
import Synchronization

/// One line on a terminal that is written anew a few times a second; nothing where standard error is none.
final class ProgressLine: Sendable {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let clients: Int

  init(clients: Int) {
    self.clients = clients
  }

  func show(_ progress: StormProgress) {
    guard isTerminal else { return }
    let width = 24
    let share = clients == 0 ? 1 : Double(progress.settled) / Double(clients)
    let filled = min(width, Int(share * Double(width)))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let parts = [
      "\(Figures.decimal(progress.seconds, places: 1)) s", progress.stage.rawValue,
      "\(Figures.count(progress.connected)) connected", "\(Figures.count(progress.asked)) asked",
      "\(Figures.count(progress.refreshed)) refreshed", "\(Figures.count(progress.inFlight)) at the provider",
      "\(Figures.count(progress.lost)) cut off",
    ]
    let failed = progress.failed > 0 ? [" · \(Figures.count(progress.failed)) failed"] : []
    write("\r\u{1B}[K\(bar) " + parts.joined(separator: " · ") + failed.joined())
  }

  /// Takes the line away.
  func clear() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
