package import GatewayRuntime

/// A requirement on a client's behaviour, which is checked by the journal. Each expectation has its own file.
package struct Expectation: Sendable {
  package let name: String
  /// The kind of lines that it needs besides those about the client's actions.
  private let since: JournalKind?
  private let judge: @Sendable (LateTimes) -> any ExpectationJudge

  init(
    _ name: String, since: JournalKind? = nil, _ judge: @escaping @Sendable (LateTimes) -> any ExpectationJudge
  ) {
    (self.name, self.since, self.judge) = (name, since, judge)
  }

  /// The number of records that are read in one piece, in less than a millisecond.
  private static let piece = 4_096

  /// Returns the verdict. It is undecided if lines are lost, or if the story is of several clients. Only on the
  /// journal's loop.
  package func verdict(on story: ClientStory) -> JournalVerdict {
    var session = Session(story, since, judge(story.late))
    while session.go(.max / 4) {}
    return session.verdict
  }

  /// Returns the same verdict, read in pieces between which `loop` does other work. Only from a task on the journal's
  /// loop.
  package nonisolated(nonsending) func verdict(
    on story: ClientStory, pausingOn loop: EventLoop
  ) async -> JournalVerdict {
    var session = Session(story, since, judge(story.late))
    while session.go(Self.piece) { await loop.pause() }
    return session.verdict
  }

  /// A story that is passed to a judge.
  private struct Session {
    private let missed: UInt64
    private var telling: ClientStory.Telling
    private var judge: any ExpectationJudge
    private var settled: JournalVerdict?

    init(_ story: ClientStory, _ since: JournalKind?, _ judge: any ExpectationJudge) {
      missed = story.missed
      telling = story.telling(since: since)
      self.judge = judge
    }

    mutating func go(_ count: Int) -> Bool {
      guard missed == 0 else { return false }
      return telling.go(count) { line in
        settled = judge.hear(line)
        return settled == nil
      }
    }

    var verdict: JournalVerdict {
      guard missed == 0 else {
        return .undecided("the journal keeps \(missed) of the lines asked for no more: ask sooner, or from a later one")
      }
      let candidates = telling.candidates
      guard candidates <= 1 else {
        return .undecided("the journal tells of \(candidates) users; say whose client is meant")
      }
      return settled ?? judge.verdict(at: telling.end)
    }
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
