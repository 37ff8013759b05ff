internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Expects that each token is renewed before the client is without one. If `limit` is set, a renewal must take no longer than
  /// that, in the time of sessions.
  ///
  /// A renewal begins with the gateway's request, and ends with a valid token on the same connection. If clients renew by
  /// reconnecting, it begins with the request or with an end that means "come back with a new token", and ends with a login
  /// with another token. If clients renew on a timer, such an end comes too late.
  package static func refreshedInTime(within limit: Duration? = nil) -> Expectation {
    Expectation("refreshed_in_time") { Requests(limit: limit, late: $0) }
  }

  /// The renewals that have begun.
  private struct Requests: ExpectationJudge {
    let limit: Duration?
    let late: LateTimes
    private var open: [ConnectionID: JournalLine] = [:]
    /// The request or the end after which the client must return with another token.
    private var returning: JournalLine?
    /// The last login or refresh of each connection whose token expires.
    private var granted: [ConnectionID: JournalLine] = [:]
    private var fingerprint: TokenFingerprint?
    private var ended: Set<ConnectionID> = []
    private var lines: [UInt64] = []

    init(limit: Duration?, late: LateTimes) { (self.limit, self.late) = (limit, late) }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      guard let connection = line.connection else { return nil }
      switch line.event {
      case .refreshRequested: open[connection] = open[connection] ?? line
      case .loggedIn(let grant, _):
        defer { note(grant, line, connection) }
        guard let question = returning else { break }
        returning = nil
        guard fingerprint == nil || grant.fingerprint != fingerprint else {
          return .failed(
            "the client came back with the token that it had before, though it was to bring a new one",
            [question.number, line.number])
        }
        return renewed(question, line)
      case .refreshed(let grant, _):
        let (before, old) = (granted[connection], fingerprint)
        note(grant, line, connection)
        if let request = open.removeValue(forKey: connection) { return renewed(request, line) }
        // The client's own timer.
        if let before, grant.fingerprint != old { lines += [before.number, line.number] }
      case .cutOff(let close), .closed(let close, _): return end(line, close, connection)
      default: break
      }
      return nil
    }

    private mutating func note(_ grant: JournalGrant, _ line: JournalLine, _ connection: ConnectionID) {
      fingerprint = grant.fingerprint
      granted[connection] = line.expiresIn == nil ? nil : line
    }

    private mutating func renewed(_ request: JournalLine, _ line: JournalLine) -> JournalVerdict? {
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
      return nil
    }

    private mutating func end(_ line: JournalLine, _ close: JournalClose, _ connection: ConnectionID) -> JournalVerdict?
    {
      let grant = granted.removeValue(forKey: connection)
      guard ended.insert(connection).inserted else { return nil }
      let request = open.removeValue(forKey: connection)
      if line.renewal == .reconnect, request != nil || close.then == .renew {
        returning = returning ?? request ?? line
        return nil
      }
      if let request {
        let told = [request.number, line.number]
        if let excuse = late.excuse(for: line, asked: request, told) { return excuse }
        return .failed("the connection ended before its request was answered", told)
      }
      guard close.then == .renew else { return nil }
      guard line.renewal == .timer || line.renewal == .http, let grant else {
        returning = returning ?? line
        return nil
      }
      let told = [grant.number, line.number]
      if let excuse = late.excuse(for: line, asked: grant, told) { return excuse }
      return .failed("the connection ended for want of a new token, which the client was to bring in time", told)
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      let request = open.values.min(by: { $0.number < $1.number })
      if let request = request ?? returning {
        let age = max(.zero, end.sessionNow - request.at)
        // The time that a slow machine cost the client does not count against it.
        if let limit, age > limit, end.late(since: request) < age - limit {
          return .failed(
            "a request has had no answer for \(ClientStory.text(age)), where \(ClientStory.text(limit)) may pass",
            [request.number])
        }
        return .undecided(
          returning == nil ? "a request has no answer yet" : "the client has not come back with a new token yet",
          [request.number])
      }
      guard !lines.isEmpty else { return .undecided("nobody was asked for a token") }
      let count = lines.count / 2
      return .passed("\(count == 1 ? "1 request was" : "\(count) requests were") answered in time", lines)
    }
  }
}
