internal import GatewayCore
package import GatewayRuntime

extension Expectation {
  /// After each line of the kind the client lets so much real time pass before the next attempt.
  package static func waitsAtLeast(
    _ least: Duration, after kind: JournalKind, before attempt: ClientStory.Attempt? = nil
  ) -> Expectation {
    Expectation("waits_at_least", since: kind) {
      LeastWaits(least: least, kind: kind, waits: .init(after: kind, before: attempt ?? .after(kind)))
    }
  }

  /// The waits, of which none may be shorter.
  private struct LeastWaits: ExpectationJudge {
    let least: Duration
    let kind: JournalKind
    var waits: ClientStory.Waits

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      waits.hear(line)
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      let short = waits.all.filter { $0.duration < least }
      if let first = short.first {
        return .failed(
          "the client waited \(ClientStory.text(first.duration)) after \(kind.rawValue), where \(ClientStory.text(least)) are to pass",
          short.flatMap(\.lines))
      }
      guard let shortest = waits.all.map(\.duration).min() else {
        return .undecided(
          waits.hasBegun ? "the client has not tried again since \(kind.rawValue)" : "there was no \(kind.rawValue)")
      }
      let count = waits.all.count
      return .passed(
        "\(count == 1 ? "1 wait" : "\(count) waits") after \(kind.rawValue), the shortest of \(ClientStory.text(shortest))",
        waits.all.flatMap(\.lines))
    }
  }
}
