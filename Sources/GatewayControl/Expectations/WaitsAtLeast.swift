internal import GatewayCore
package import GatewayRuntime

extension Expectation {
  /// After each line of the kind the client lets so much real time pass before the next attempt.
  package static func waitsAtLeast(
    _ least: Duration, after kind: JournalKind, before attempt: ClientStory.Attempt? = nil
  ) -> Expectation {
    let attempt = attempt ?? .after(kind)
    return Expectation("waits_at_least") { story in
      let waits = story.waits(after: kind, before: attempt)
      let short = waits.filter { $0.duration < least }
      if let first = short.first {
        return .failed(
          "the client waited \(ClientStory.text(first.duration)) after \(kind.rawValue), where \(ClientStory.text(least)) are to pass",
          short.flatMap(\.lines))
      }
      guard let shortest = waits.map(\.duration).min() else {
        let isThere = story.lines.contains { $0.event.kind == kind }
        return .undecided(
          isThere ? "the client has not tried again since \(kind.rawValue)" : "there was no \(kind.rawValue)")
      }
      return .passed(
        "\(waits.count == 1 ? "1 wait" : "\(waits.count) waits") after \(kind.rawValue), the shortest of \(ClientStory.text(shortest))",
        waits.flatMap(\.lines))
    }
  }
}
