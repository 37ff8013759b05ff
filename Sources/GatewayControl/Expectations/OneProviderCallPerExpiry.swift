internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Expects exactly one token for each renewal: none before the request, none after the renewal, and not two in
  /// between.
  ///
  /// A renewal is a refresh on the connection, or an end that asks for another token together with the return from it.
  /// Tokens for the first login don't count. A client with two calls under way may be renewed between them, so it is
  /// observed for `quiet` of real time after its last renewal.
  package static func oneProviderCallPerExpiry(quiet: Duration) -> Expectation {
    Expectation("one_provider_call_per_expiry") { Renewals(quiet: quiet, late: $0) }
  }

  /// The tokens that were made since the client's last login or renewal.
  private struct Renewals: ExpectationJudge {
    /// The time by which a token may come before the gateway's request. A client with its own refresh timer may get its
    /// token just then.
    private static let crossing = Duration.milliseconds(200)

    let quiet: Duration
    let late: LateTimes
    private var last: JournalLine?
    /// Whether any token of the user came from the built-in provider.
    private var isMinted = false
    /// The failure, which counts only if the provider made a token, even later.
    private var failure: JournalVerdict?
    private var minted: [JournalLine] = []
    /// The unanswered question for another token: a request, or an end.
    private var question: JournalLine?
    private var isReturning = false
    /// The last token that was made for a question before the client was closed or refused.
    private var early: JournalLine?
    private var fingerprint: TokenFingerprint?
    private var isConnected = true
    private var ended: Set<ConnectionID> = []
    private var count = 0
    /// Renewals with a token that the gateway gave by itself.
    private var pushedCount = 0
    /// Whether the wire's gateway gives every token after the first.
    private var isPushed = false
    private var lines: [UInt64] = []

    init(quiet: Duration, late: LateTimes) { (self.quiet, self.late) = (quiet, late) }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      if line.event.kind == .providerMinted { isMinted = true }
      if line.renewal == .pushed { isPushed = true }
      if failure == nil { failure = judge(line) }
      return isMinted ? failure : nil
    }

    private mutating func judge(_ line: JournalLine) -> JournalVerdict? {
      switch line.event {
      case .providerMinted: minted.append(line)
      case .refreshRequested: question = question ?? line
      case .cutOff, .closed: return end(line)
      case .loginRefused(let error), .upgradeRefused(let error?, _, _), .refreshRefused(let error):
        return error.isOfToken ? refused(line) : nil
      case .loggedIn(let grant, _):
        defer { begin(with: grant.fingerprint) }
        // Another connection of the same client may have fetched the token.
        guard isReturning, fingerprint != nil, grant.fingerprint != fingerprint, !minted.isEmpty || early != nil else {
          break
        }
        return renewed(line)
      case .refreshed(let grant, _):
        last = line
        if line.gatewayMayRenew, minted.isEmpty, grant.fingerprint != fingerprint {
          pushedCount += 1
          lines.append(line.number)
          begin(with: grant.fingerprint)
          break
        }
        if line.renewal == .pushed { return unasked(line) }
        // One token may serve the user's other connections too.
        if minted.isEmpty, grant.fingerprint == fingerprint {
          question = nil
          break
        }
        defer { begin(with: grant.fingerprint) }
        return renewed(line)
      default: break
      }
      return nil
    }

    private mutating func begin(with fingerprint: TokenFingerprint?) {
      (minted, early, question, isReturning, isConnected) = ([], nil, nil, false, true)
      self.fingerprint = fingerprint
    }

    /// Notes that the client is disconnected, because of a missing token if the gateway says so.
    private mutating func end(_ line: JournalLine) -> JournalVerdict? {
      // A client may return before the closing handshake of its last connection is over.
      if let connection = line.connection, !ended.insert(connection).inserted { return nil }
      isConnected = false
      guard !isReturning, line.asksForToken || question != nil else { return nil }
      // If clients renew by reconnecting, the end belongs to the renewal that was asked for: it is no second question.
      if question != nil, line.renewal == .reconnect, minted.count < 2 {
        isReturning = true
        return nil
      }
      return askAgain(line, isReturning: true)
    }

    /// Notes that the token is invalid, so that another one is needed.
    private mutating func refused(_ line: JournalLine) -> JournalVerdict? {
      askAgain(line, isReturning: isReturning || line.event.kind != .refreshRefused)
    }

    /// Checks the tokens made for the previous request. If the client returned without another token, it has used that
    /// one.
    private mutating func askAgain(_ line: JournalLine, isReturning: Bool) -> JournalVerdict? {
      if question != nil, minted.count > 1 { return tooMany(line) }
      early = question == nil ? nil : minted.last ?? early
      (question, self.isReturning, minted) = (question ?? line, isReturning, question == nil ? minted : [])
      return nil
    }

    private func tooMany(_ line: JournalLine) -> JournalVerdict {
      // A client may abandon a token that a slow machine delays, and ask for another.
      if zip(minted, minted.dropFirst()).contains(where: { late.mayHaveMadeAnother(from: $0.real, to: $1.real) }) {
        return .undecided(
          "the machine was slow: it may have made one of \(ClientStory.Attempt.provider.text(minted.count))",
          minted.map(\.number) + [line.number])
      }
      return .failed(
        "\(ClientStory.Attempt.provider.text(minted.count)) for one \(isReturning ? "renewal" : "refresh"), where there is to be 1",
        (question.map { [$0.number] } ?? []) + minted.map(\.number) + [line.number])
    }

    private mutating func renewed(_ line: JournalLine) -> JournalVerdict? {
      if minted.isEmpty, let early { minted = [early] }
      guard minted.count == 1 else { return tooMany(line) }
      let told = (question.map { [$0.number] } ?? []) + minted.map(\.number) + [line.number]
      // A client that returns may have its own timer, and is judged only by the number of tokens.
      if let question, !isReturning, isTooEarly(minted[0], question) {
        let ahead = max(question.real - minted[0].real, question.at - minted[0].at)
        let lost = late.lost(from: minted[0].real, to: question.real)
        guard ahead - lost > Self.crossing else {
          return .undecided(
            "the machine was slow: the token was made \(ClientStory.text(ahead)) before the client was asked for one, of which it may have made \(ClientStory.text(lost))",
            told)
        }
        return .failed("the token was made before the client was asked for one", told)
      }
      count += 1
      lines += told
      last = line
      return nil
    }

    /// The client has asked for a token although the gateway gives them.
    private mutating func unasked(_ line: JournalLine) -> JournalVerdict? {
      defer { minted = [] }
      guard let first = minted.first else { return nil }
      return .failed(
        "\(ClientStory.Attempt.provider.text(minted.count)) before a token that the gateway gave by itself, where there is to be none",
        [first.number, line.number])
    }

    private func isTooEarly(_ mint: JournalLine, _ question: JournalLine) -> Bool {
      mint.number < question.number
        && (question.at - mint.at > Self.crossing || question.real - mint.real > Self.crossing)
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      if isPushed, pushedCount > 0, isConnected, let first = minted.first {
        return .failed("the provider was asked for a token, though the gateway gives them", [first.number])
      }
      if isPushed || isMinted, pushedCount > 0, count == 0, minted.isEmpty, question == nil {
        if let last, let doubt = end.doubt(quiet: quiet, since: last, .provider) { return doubt }
        return .passed(
          "\(pushedCount == 1 ? "1 renewal" : "\(pushedCount) renewals") by the gateway, no provider call", lines)
      }
      guard isMinted else {
        guard let last else { return .undecided("there was no refresh", question.map { [$0.number] } ?? []) }
        if let doubt = end.doubt(quiet: quiet, since: last, .provider) { return doubt }
        return JournalVerdict(
          .notApplicable,
          "no token of the user's came from the built-in provider, so the journal cannot count the calls")
      }
      let extra = minted.map(\.number)
      if let question, !isReturning, extra.count > 1 {
        return .failed(
          "\(extra.count) provider calls for one request, which has no answer yet", [question.number] + extra)
      }
      if question == nil, count > 0, isConnected, let first = extra.first {
        return .failed(
          "the provider was asked again after the refresh, though nobody had asked the client",
          lines.suffix(1) + [first])
      }
      if let question, isReturning {
        return .undecided("the client has not come back yet", lines + [question.number])
      }
      guard count > 0 else { return .undecided("there was no refresh", question.map { [$0.number] } ?? []) }
      if let question, isConnected {
        return .undecided("the client was asked for a token and has not answered yet", lines + [question.number])
      }
      if let last, let doubt = end.doubt(quiet: quiet, since: last, .provider) { return doubt }
      return .passed("\(count == 1 ? "1 renewal" : "\(count) renewals"), one provider call for each", lines)
    }
  }
}

extension JournalLine {
  /// Whether the gateway may have given the token by itself: it pushes tokens, or its answers over HTTP bring them.
  fileprivate var gatewayMayRenew: Bool { renewal == .pushed || renewal == .http }

  /// Whether it records an end that asks for another token: the connection's, or an attempt's.
  fileprivate var asksForToken: Bool {
    switch event {
    case .cutOff(let close), .closed(let close, by: .gateway):
      close.then == .renew
        || [CloseReason.refreshTimeout, .tokenRevoked].contains { $0.name == close.reason }
    default: false
    }
  }
}

extension JournalError {
  /// Whether another token may help.
  fileprivate var isOfToken: Bool { (401_000..<402_000).contains(number) }
}
