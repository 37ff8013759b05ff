import GatewayFleet

/// A storm's progress as one line, as long as the columns allow.
struct ProgressText {
  let clients: Int

  private static let barWidth = 16

  /// Returns the longest line that fits. It leaves out the bar first, then the requests to the provider, then the names of
  /// the figures. It never leaves out clients that are cut off or failed.
  func line(_ progress: StormProgress, columns: Int) -> String {
    let candidates = [
      bar(progress) + " " + long(progress, withProvider: true),
      bar(progress) + " " + long(progress, withProvider: false),
      long(progress, withProvider: false), short(progress), shortest(progress),
    ]
    return candidates.first { $0.count <= columns } ?? String(shortest(progress).prefix(max(0, columns)))
  }

  private func long(_ progress: StormProgress, withProvider: Bool) -> String {
    var parts = [
      "\(Figures.decimal(progress.seconds, places: 1)) s", progress.stage.rawValue,
      "\(Figures.count(progress.connected)) connected", "\(Figures.count(progress.refreshed)) refreshed",
    ]
    parts += troubles(progress)
    if withProvider, progress.inFlight > 0 { parts.append("\(Figures.count(progress.inFlight)) at the provider") }
    return parts.joined(separator: " · ")
  }

  private func short(_ progress: StormProgress) -> String {
    let parts = ["\(Int(progress.seconds)) s", count(progress)] + troubles(progress)
    return parts.joined(separator: " · ")
  }

  private func shortest(_ progress: StormProgress) -> String {
    "\(Int(progress.seconds)) s " + ([count(progress)] + troubles(progress)).joined(separator: " ")
  }

  /// Returns the figure that grows in this stage.
  private func count(_ progress: StormProgress) -> String {
    switch progress.stage {
    case .connecting, .holding: "\(Figures.count(progress.connected)) connected"
    case .refreshing, .leaving: "\(Figures.count(progress.refreshed)) refreshed"
    }
  }

  private func troubles(_ progress: StormProgress) -> [String] {
    var parts: [String] = []
    if progress.lost > 0 { parts.append("\(Figures.count(progress.lost)) cut off") }
    if progress.failed > 0 { parts.append("\(Figures.count(progress.failed)) failed") }
    return parts
  }

  private func bar(_ progress: StormProgress) -> String {
    let share = clients == 0 ? 1 : Double(progress.settled) / Double(clients)
    let filled = max(0, min(Self.barWidth, Int(share * Double(Self.barWidth))))
    return String(repeating: "█", count: filled) + String(repeating: "░", count: Self.barWidth - filled)
  }
}

/// The times of lines that stay: one every ten seconds.
struct ProgressSchedule {
  private static let intervalSeconds = 10.0
  private var nextSeconds = intervalSeconds

  /// Returns whether a line is due `seconds` after the storm's start, and schedules the next.
  mutating func isDue(at seconds: Double) -> Bool {
    guard seconds >= nextSeconds else { return false }
    nextSeconds = (seconds / Self.intervalSeconds).rounded(.down) * Self.intervalSeconds + Self.intervalSeconds
    return true
  }
}
