internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Expects at most `most` attempts, and then none for `quiet`.
  package static func stopsAfter(
    _ most: Int, _ attempt: ClientStory.Attempt = .connection, quiet: Duration = .seconds(1)
  ) -> Expectation {
    Expectation("stops_after") { Attempts(most: most, attempt: attempt, quiet: quiet, late: $0) }
  }

  /// The attempts that were made.
  private struct Attempts: ExpectationJudge {
    let most: Int
    let attempt: ClientStory.Attempt
    let quiet: Duration
    let late: LateTimes
    private var lines: [UInt64] = []
    private var last: JournalLine?
    /// Whether the client has a token that it has not tried: its first one, or one that the provider has made since.
    private var isFresh = true
    /// The number of attempts after a delay that may have made the client abandon the attempt before.
    private var excused = 0

    init(most: Int, attempt: ClientStory.Attempt, quiet: Duration, late: LateTimes) {
      (self.most, self.attempt, self.quiet, self.late) = (most, attempt, quiet, late)
    }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      if line.event.kind == .providerMinted { isFresh = true }
      guard attempt.isMade(by: line) else { return nil }
      let isExcused = last.map { late.mayHaveMadeAnother(from: $0.real, to: line.real) } ?? false
      last = line
      if attempt == .staleConnection, isFresh {
        isFresh = false
      } else {
        lines.append(line.number)
        excused += isExcused ? 1 : 0
      }
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      if lines.count > most, lines.count - excused <= most {
        return .undecided(
          "the machine was slow: of \(attempt.text(lines.count)) it may have made \(excused), where \(most) may be",
          lines)
      }
      guard lines.count <= most else { return .failed("\(attempt.text(lines.count)), where \(most) may be", lines) }
      guard let last else { return .undecided("there was no attempt") }
      if let doubt = end.doubt(quiet: quiet, since: last, attempt) { return doubt }
      return .passed(
        "\(attempt.text(lines.count)), and none in the \(ClientStory.text(end.age(of: last))) since",
        lines.isEmpty ? [last.number] : lines)
    }
  }
}
