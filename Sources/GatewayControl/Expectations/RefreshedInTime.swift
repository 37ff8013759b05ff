internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Expects that each request for a token is answered on its own connection with a valid one. If `limit` is set, this
  /// must happen within it, in the time of sessions.
  package static func refreshedInTime(within limit: Duration? = nil) -> Expectation {
    Expectation("refreshed_in_time") { Requests(limit: limit, late: $0) }
  }

  /// The unanswered requests for a token.
  private struct Requests: ExpectationJudge {
    let limit: Duration?
    let late: LateTimes
    private var open: [ConnectionID: JournalLine] = [:]
    private var lines: [UInt64] = []

    init(limit: Duration?, late: LateTimes) { (self.limit, self.late) = (limit, late) }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      guard let connection = line.connection else { return nil }
      switch line.event.kind {
      case .refreshRequested: open[connection] = open[connection] ?? line
      case .refreshed:
        guard let request = open.removeValue(forKey: connection) else { break }
        let duration = line.at - request.at
        if let limit, duration > limit {
          // The time that a slow machine cost the client does not count against it.
          if duration - late.lost(from: request.real, to: line.real) <= limit {
            return .undecided(
              "the machine was slow: of the \(ClientStory.text(duration)) of a refresh it may have made \(ClientStory.text(late.lost(from: request.real, to: line.real))), where \(ClientStory.text(limit)) may pass",
              [request.number, line.number])
          }
          return .failed(
            "a refresh took \(ClientStory.text(duration)), where \(ClientStory.text(limit)) may pass",
            [request.number, line.number])
        }
        lines += [request.number, line.number]
      case .cutOff, .closed:
        guard let request = open[connection] else { break }
        let told = [request.number, line.number]
        if let excuse = late.excuse(for: line, asked: request, told) { return excuse }
        return .failed("the connection ended before its request was answered", told)
      default: break
      }
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      if let request = open.values.min(by: { $0.number < $1.number }) {
        let age = max(.zero, end.sessionNow - request.at)
        // The time that a slow machine cost the client does not count against it.
        if let limit, age > limit, end.late(since: request) < age - limit {
          return .failed(
            "a request has had no answer for \(ClientStory.text(age)), where \(ClientStory.text(limit)) may pass",
            [request.number])
        }
        return .undecided("a request has no answer yet", [request.number])
      }
      guard !lines.isEmpty else { return .undecided("nobody was asked for a token") }
      let count = lines.count / 2
      return .passed("\(count == 1 ? "1 request was" : "\(count) requests were") answered in time", lines)
    }
  }
}
