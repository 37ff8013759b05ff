internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// The expectation that a user never has two provider calls under way at once, and never presents two tokens for one
  /// request.
  ///
  /// - Parameter perConnection: Whether a call counts no longer once the connection on which the client was logged in when it
  ///   asked has ended. Centrifugo's official clients give such a call up and ask anew for their next connection.
  package static func singleFlight(perConnection: Bool = false) -> Expectation {
    Expectation("single_flight") { Flights(late: $0, perConnection: perConnection) }
  }

  /// The provider calls, and the presented tokens.
  private struct Flights: ExpectationJudge {
    private var calls: Calls
    private var presented: Presented

    init(late: LateTimes, perConnection: Bool) {
      (calls, presented) = (Calls(late: late, perConnection: perConnection), Presented(late: late))
    }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? { calls.failure(line) ?? presented.failure(line) }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      guard !calls.lines.isEmpty else {
        return .undecided(
          presented.lines.isEmpty
            ? "there was no provider call" : "there was no call of the built-in provider, though tokens came",
          presented.lines)
      }
      let order = calls.hasGivenUp ? "one at a time on each connection" : "one after the other"
      let each = calls.lines.count == 1 ? "1 provider call" : "\(calls.lines.count) provider calls, \(order)"
      if let doubt = calls.doubt ?? presented.doubt(end) { return doubt }
      return .passed("\(each); no request was answered twice", calls.lines + presented.lines)
    }
  }

  /// The provider calls that are under way.
  private struct Calls {
    /// The uses that a client has for a new token.
    private static let uses: [ClientStory.Attempt] = [.refresh, .connection]

    let late: LateTimes
    private let perConnection: Bool
    /// The calls under way, the oldest first.
    private var open: [Call] = []
    /// The connections on which the user is logged in.
    private var connected: Set<ConnectionID> = []
    /// The last call that was answered with a token, which the client has not used since.
    private var unused: (asked: JournalLine, answered: JournalLine)?
    /// The verdict on a call that a slow machine may have kept from overlapping with the one before.
    private(set) var doubt: JournalVerdict?
    /// Whether a connection ended while its client asked.
    private(set) var hasGivenUp = false
    var lines: [UInt64] = []

    /// A call, with the connections on which the user was logged in when it began.
    private struct Call {
      let asked: JournalLine
      let connections: Set<ConnectionID>
      var isGivenUp = false
    }

    init(late: LateTimes, perConnection: Bool) { (self.late, self.perConnection) = (late, perConnection) }

    mutating func failure(_ line: JournalLine) -> JournalVerdict? {
      switch line.event.kind {
      case .providerAsked:
        lines.append(line.number)
        if let first = open.first(where: { !$0.isGivenUp }) { return again(line, beside: first.asked) }
        noteDoubt(line)
        open.append(Call(asked: line, connections: connected))
      case .providerMinted:
        // A call that began before the span has no beginning here.
        guard !open.isEmpty else { break }
        let call = open.removeFirst()
        unused = call.isGivenUp ? nil : (call.asked, line)
      case .providerFailed, .providerRefused:
        if !open.isEmpty { open.removeFirst() }
      default:
        if perConnection { follow(line) }
        if Self.uses.contains(where: { $0.isMade(by: line) }) { unused = nil }
      }
      return nil
    }

    private mutating func follow(_ line: JournalLine) {
      guard let connection = line.connection else { return }
      switch line.event.kind {
      case .loggedIn: connected.insert(connection)
      case .closed:
        connected.remove(connection)
        for index in open.indices where open[index].connections.contains(connection) {
          (open[index].isGivenUp, hasGivenUp) = (true, true)
        }
      default: break
      }
    }

    private func again(_ line: JournalLine, beside first: JournalLine) -> JournalVerdict {
      let wait = ClientStory.text(line.real - first.real)
      // A client may abandon a call that a slow machine delays, and ask again.
      if late.mayHaveMadeAnother(from: first.real, to: line.real) {
        return .undecided(
          "the machine was slow: the provider was asked again \(wait) after a call whose answer it may have held up",
          [first.number, line.number])
      }
      return .failed(
        "the provider was asked again, \(wait) after a call that was under way", [first.number, line.number])
    }

    /// Notes a doubt if the client asks again without having used the last token, and the machine has taken at least as
    /// long as lies between that answer and this call: the client may have sent it before.
    private mutating func noteDoubt(_ line: JournalLine) {
      guard doubt == nil, let (asked, answered) = unused else { return }
      let lost = late.lost(from: asked.real, to: line.real)
      guard lost > .zero, line.real - answered.real <= lost else { return }
      doubt = .undecided(
        "the machine was slow: the provider was asked again \(ClientStory.text(line.real - answered.real)) after an answer that was not used, and two calls may have been under way",
        [asked.number, answered.number, line.number])
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
          // A client may abandon an answer that a slow machine delays.
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
