internal import GatewayRuntime

/// What a client is held to, as a function over the journal: `single_flight`, for instance. Those that there are stand in
/// files of their own.
package struct Expectation: Sendable {
  package let name: String
  private let judge: @Sendable (ClientStory) -> JournalVerdict

  init(_ name: String, _ judge: @escaping @Sendable (ClientStory) -> JournalVerdict) {
    self.name = name
    self.judge = judge
  }

  /// What it comes to. Nothing is said over lines that are lost, or over several clients in one.
  package func verdict(on story: ClientStory) -> JournalVerdict {
    guard story.missed == 0 else {
      return .undecided(
        "the journal keeps \(story.missed) of the lines asked for no more: ask sooner, or from a later one")
    }
    guard story.candidates <= 1 else {
      return .undecided("the journal tells of \(story.candidates) users; say whose client is meant")
    }
    return judge(story)
  }
}

extension JournalVerdict {
  static func undecided(_ sentence: String, _ lines: [UInt64] = []) -> JournalVerdict {
    JournalVerdict(.undecided, sentence, lines)
  }

  static func failed(_ sentence: String, _ lines: [UInt64]) -> JournalVerdict {
    JournalVerdict(.failed, sentence, lines)
  }

  static func passed(_ sentence: String, _ lines: [UInt64]) -> JournalVerdict {
    JournalVerdict(.passed, sentence, lines)
  }
}

extension ClientStory {
  /// Undecided where nobody has looked for long enough since `line`, or where `unnamed` attempts may be the client's; nil if
  /// what did not happen counts.
  func doubt(quiet: Duration, since line: JournalLine, _ attempt: Attempt, of unnamed: [JournalLine]) -> JournalVerdict?
  {
    let others = attempt == .connection ? unnamed : []
    if !others.isEmpty {
      return .undecided(
        "\(attempt.text(others.count)) came from somebody whom the journal cannot name; give the client a space of its own",
        others.map(\.number))
    }
    let age = age(of: line)
    guard age >= quiet else {
      return .undecided(
        "line \(line.number) is \(Self.text(age)) old; \(Self.text(quiet)) have to pass without an attempt",
        [line.number])
    }
    return nil
  }
}
