internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// The expectation that a user never has two provider calls under way at once, and never presents two tokens for one
  /// request.
  package static let singleFlight = Expectation("single_flight") { Flights(late: $0) }

  /// The provider calls, and the presented tokens.
  private struct Flights: ExpectationJudge {
    private var calls = Calls()
    private var presented: Presented

    init(late: LateTimes) { presented = Presented(late: late) }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? { calls.failure(line) ?? presented.failure(line) }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      guard !calls.lines.isEmpty else {
        return .undecided(
          presented.lines.isEmpty
            ? "there was no provider call" : "there was no call of the built-in provider, though tokens came",
          presented.lines)
      }
      let each = calls.lines.count == 1 ? "1 provider call" : "\(calls.lines.count) provider calls, one after the other"
      if let doubt = presented.doubt(end) { return doubt }
      return .passed("\(each); no request was answered twice", calls.lines + presented.lines)
    }
  }

  /// The provider calls that are under way.
  private struct Calls {
    private var open: [JournalLine] = []
    var lines: [UInt64] = []

    mutating func failure(_ line: JournalLine) -> JournalVerdict? {
      switch line.event.kind {
      case .providerAsked:
        lines.append(line.number)
        if let first = open.first {
          return .failed(
            "the provider was asked again, \(ClientStory.text(line.real - first.real)) after a call that was under way",
            [first.number, line.number])
        }
        open.append(line)
      case .providerMinted, .providerFailed, .providerRefused:
        // A call that began before the span has no beginning here.
        if !open.isEmpty { open.removeFirst() }
      default: break
      }
      return nil
    }
  }

  /// The tokens that came on each connection since its last request for one.
  private struct Presented {
    /// The age of an answer after which a further token belongs to no request.
    private static let answerAge = Duration.seconds(1)
    let late: LateTimes
    private var open: [ConnectionID: (line: JournalLine, isAccepted: Bool)] = [:]
    /// The tokens that belong to no request, each with the one before.
    private var later: [(first: JournalLine, second: JournalLine)] = []
    var lines: [UInt64] = []

    init(late: LateTimes) { self.late = late }

    /// Returns an undecided verdict if a token without a request may belong to one after all, because a slow machine
    /// delayed it.
    func doubt(_ end: ClientStory.End) -> JournalVerdict? {
      guard
        let pair = later.first(where: { first, second in
          second.real - first.real - end.late(from: first, to: second) < Self.answerAge
        })
      else { return nil }
      return .undecided(
        "the machine was slow: a second token, \(ClientStory.text(pair.second.real - pair.first.real)) after the first, may be for the same request",
        [pair.first.number, pair.second.number])
    }

    mutating func failure(_ line: JournalLine) -> JournalVerdict? {
      guard let connection = line.connection else { return nil }
      switch line.event.kind {
      case .refreshRequested, .refreshRefused, .closed: open[connection] = nil
      case .refreshed: open[connection]?.isAccepted = true
      default:
        guard ClientStory.Attempt.refresh.isMade(by: line) else { break }
        lines.append(line.number)
        if let (first, isAccepted) = open[connection], !isAccepted || line.real - first.real < Self.answerAge {
          // A client may give up an answer that a slow machine delays.
          if late.mayHaveMadeAnother(from: first.real, to: line.real) {
            return .undecided(
              "the machine was slow: a second token came \(ClientStory.text(line.real - first.real)) after the first, whose answer it may have held up",
              [first.number, line.number])
          }
          return .failed(
            "a second token was presented \(ClientStory.text(line.real - first.real)) after the first, for the same request",
            [first.number, line.number])
        }
        if let (first, _) = open[connection] { later.append((first, line)) }
        open[connection] = (line, false)
      }
      return nil
    }
  }
}
