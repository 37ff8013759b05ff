internal import GatewayCore
package import GatewayRuntime

extension Expectation {
  /// Expects that the client waits at least `least` of real time before the next attempt after each line of the kind.
  package static func waitsAtLeast(
    _ least: Duration, after kind: JournalKind, before attempt: ClientStory.Attempt? = nil
  ) -> Expectation {
    Expectation("waits_at_least", since: kind) { _ in
      LeastWaits(least: least, kind: kind, waits: .init(after: kind, before: attempt ?? .after(kind)))
    }
  }

  /// The waits, which must all reach the minimum.
  private struct LeastWaits: ExpectationJudge {
    let least: Duration
    let kind: JournalKind
    var waits: ClientStory.Waits

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      waits.hear(line)
      return nil
    }

    /// Returns the part of a wait that a slow machine may have caused. A part of up to a fiftieth of the minimum is
    /// ignored.
    private func doubt(of wait: ClientStory.Wait, _ end: ClientStory.End) -> Duration {
      let lost = end.late.lost(from: wait.from, to: wait.to)
      return lost > least / 50 ? lost : .zero
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      let short = waits.all.filter { $0.duration < least }
      // The gateway may have been late at the end of a closing handshake, for which the client need not wait.
      let late = short.first { $0.to - $0.known >= least && end.late.lost(from: $0.known, to: $0.from) > .zero }
      if let late, short.allSatisfy({ $0.to - $0.known >= least }) {
        return .undecided(
          "the machine was slow: the client waited \(ClientStory.text(late.duration)) after \(kind.rawValue), and may have known of it \(ClientStory.text(late.from - late.known)) before, where \(ClientStory.text(least)) are to pass",
          late.lines)
      }
      if let first = short.first {
        return .failed(
          "the client waited \(ClientStory.text(first.duration)) after \(kind.rawValue), where \(ClientStory.text(least)) are to pass",
          short.flatMap(\.lines))
      }
      if let doubtful = waits.all.first(where: { $0.duration - doubt(of: $0, end) < least }) {
        return .undecided(
          "the machine was slow: of a wait of \(ClientStory.text(doubtful.duration)) after \(kind.rawValue) it may have made \(ClientStory.text(doubt(of: doubtful, end))), where \(ClientStory.text(least)) are to pass",
          doubtful.lines)
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
