import GatewayFleet
import Testing

@testable import postern

struct ProgressTextTests {
  private static func progress() -> StormProgress {
    var progress = StormProgress()
    progress.stage = .refreshing
    progress.seconds = 123.45
    progress.connected = 39_998
    progress.refreshed = 31_234
    progress.lost = 1_020
    progress.failed = 12
    progress.inFlight = 999
    progress.settled = 32_000
    return progress
  }

  private let text = ProgressText(clients: 40_000)

  @Test(arguments: [0, 1, 20, 30, 40, 60, 80, 100, 132])
  func `the progress fits the terminal at any width`(columns: Int) {
    #expect(text.line(Self.progress(), columns: columns).count <= columns)
  }

  @Test
  func `the progress at 60 columns still has the time, the refreshed, the cut off and the failed`() {
    let line = text.line(Self.progress(), columns: 59)
    for part in ["123 s", "31,234 refreshed", "1,020 cut off", "12 failed"] { #expect(line.contains(part), "\(line)") }
  }

  @Test
  func `the progress shows everything if there is room`() {
    let line = text.line(Self.progress(), columns: .max)
    for part in [
      "████", "░", "123.5 s", "refreshing", "39,998 connected", "31,234 refreshed", "1,020 cut off", "12 failed",
    ] {
      #expect(line.contains(part), "\(line)")
    }
    #expect(line.hasSuffix("999 at the provider"))
  }

  @Test
  func `the progress in a pipe is a line every ten seconds`() {
    var schedule = ProgressSchedule()
    let due = (0...400).map { Double($0) / 10 }.filter { schedule.isDue(at: $0) }
    #expect(due == [10, 20, 30, 40])
    #expect(schedule.isDue(at: 75.3) && !schedule.isDue(at: 79.9) && schedule.isDue(at: 80))
  }
}
