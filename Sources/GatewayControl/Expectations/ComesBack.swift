internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// After each end that the client may come back from it is let in again, within so much real time; with another token
  /// than before, where that is wanted.
  package static func comesBack(within limit: Duration = .seconds(10), newToken: Bool = false) -> Expectation {
    Expectation("comes_back") { story in
      var (token, end): (TokenFingerprint?, JournalLine?) = (nil, nil)
      var lines: [UInt64] = []
      var ended: Set<ConnectionID> = []
      // The client may be back before the closing handshake of its last connection is over.
      func begin(_ line: JournalLine) {
        guard let connection = line.connection, ended.insert(connection).inserted else { return }
        end = end ?? line
      }
      for line in story.lines {
        switch line.event {
        case .loggedIn(let grant, _):
          defer { (token, end) = (grant.fingerprint, nil) }
          guard let end else { break }
          if let failure = failure(end, line, limit) { return failure }
          guard !newToken || token != nil else {
            return .undecided("with which token the client was connected before does not stand here", [end.number])
          }
          if newToken, token == grant.fingerprint {
            return .failed("the client came back with the token that it had before", [end.number, line.number])
          }
          lines += [end.number, line.number]
        case .refreshed(let grant, _): token = grant.fingerprint
        case .cutOff(let close) where close.mayReconnect: begin(line)
        case .closed(let close, let by) where by == .transport || (by == .gateway && close.mayReconnect): begin(line)
        default: break
        }
      }
      if let end {
        let age = story.age(of: end)
        return age > limit
          ? .failed("the client has not come back in \(ClientStory.text(age))", [end.number])
          : .undecided("the client has not come back yet, after \(ClientStory.text(age))", [end.number])
      }
      guard !lines.isEmpty else { return .undecided("nothing has happened yet that a client comes back from") }
      let count = lines.count / 2
      return .passed(
        "the client came back \(count == 1 ? "once" : "\(count) times")\(newToken ? ", each time with another token" : "")",
        lines)
    }
  }

  private static func failure(_ end: JournalLine, _ back: JournalLine, _ limit: Duration) -> JournalVerdict? {
    let duration = back.real - end.real
    guard duration > limit else { return nil }
    return .failed(
      "the client took \(ClientStory.text(duration)) to come back, where \(ClientStory.text(limit)) may pass",
      [end.number, back.number])
  }
}
