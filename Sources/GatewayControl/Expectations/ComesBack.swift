internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Expects that after each end from which the client may return, it is logged in again within `limit` of real time.
  /// With `newToken` it must use another token than before.
  package static func comesBack(within limit: Duration = .seconds(10), newToken: Bool = false) -> Expectation {
    Expectation("comes_back") { _ in Returns(limit: limit, newToken: newToken) }
  }

  /// The ends, and the returns from them.
  private struct Returns: ExpectationJudge {
    let limit: Duration
    let newToken: Bool
    private var token: TokenFingerprint?
    private var ending: JournalLine?
    private var lines: [UInt64] = []
    private var ended: Set<ConnectionID> = []
    private var returns: [(ending: JournalLine, back: JournalLine)] = []

    init(limit: Duration, newToken: Bool) {
      (self.limit, self.newToken) = (limit, newToken)
    }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      switch line.event {
      case .loggedIn(let grant, _):
        defer { (token, ending) = (grant.fingerprint, nil) }
        guard let ending else { break }
        returns.append((ending, line))
        guard !newToken || token != nil else {
          return .undecided("with which token the client was connected before does not stand here", [ending.number])
        }
        if newToken, token == grant.fingerprint {
          return .failed("the client came back with the token that it had before", [ending.number, line.number])
        }
        lines += [ending.number, line.number]
      case .refreshed(let grant, _): token = grant.fingerprint
      case .cutOff(let close) where close.mayReconnect: begin(line)
      case .closed(let close, let by) where by == .transport || (by == .gateway && close.mayReconnect): begin(line)
      default: break
      }
      return nil
    }

    /// Notes the end of a connection. The client may return before the closing handshake of its last connection is
    /// over.
    private mutating func begin(_ line: JournalLine) {
      guard let connection = line.connection, ended.insert(connection).inserted else { return }
      ending = ending ?? line
    }

    /// Returns a failure for the first return that took too long, even without the time that a slow machine lost.
    private func failure(_ end: ClientStory.End) -> JournalVerdict? {
      for (ending, back) in returns {
        let duration = back.real - ending.real
        guard duration > limit, duration - end.late(from: ending, to: back) > limit else { continue }
        return .failed(
          "the client took \(ClientStory.text(duration)) to come back, where \(ClientStory.text(limit)) may pass",
          [ending.number, back.number])
      }
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      if let failure = failure(end) { return failure }
      if let ending {
        let age = end.age(of: ending)
        return age - end.late(since: ending) > limit
          ? .failed("the client has not come back in \(ClientStory.text(age))", [ending.number])
          : .undecided("the client has not come back yet, after \(ClientStory.text(age))", [ending.number])
      }
      guard !lines.isEmpty else { return .undecided("nothing has happened yet that a client comes back from") }
      let count = lines.count / 2
      return .passed(
        "the client came back \(count == 1 ? "once" : "\(count) times")\(newToken ? ", each time with another token" : "")",
        lines)
    }
  }
}
