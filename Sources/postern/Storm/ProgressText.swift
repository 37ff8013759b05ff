import GatewayFleet

/// A storm's progress as one line, as much of it as the columns hold.
struct ProgressText {
  let clients: Int

  private static let barWidth = 16

  /// Returns the longest line that fits. The bar, the clients that wait for the provider and the names of the figures are
  /// left out first. The clients cut off or failed are never left out.
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

  /// The figure that grows in this stage.
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

/// The timetable of lines that stay: the next is due ten seconds after the last.
struct ProgressSchedule {
  private static let intervalSeconds = 10.0
  private var nextSeconds = intervalSeconds

  /// Whether a line is due, `seconds` after the storm's start; the next is due later then.
  mutating func isDue(at seconds: Double) -> Bool {
    guard seconds >= nextSeconds else { return false }
    nextSeconds = (seconds / Self.intervalSeconds).rounded(.down) * Self.intervalSeconds + Self.intervalSeconds
    return true
  }
}
