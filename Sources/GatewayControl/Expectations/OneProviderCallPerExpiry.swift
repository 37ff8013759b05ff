internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Exactly one token is made for each refresh: none before the request, none after the answer, and not two between. What
  /// is made to log in counts for none. A client whose two calls are on their way at once may be refreshed between them, so it
  /// is watched for `quiet` of real time behind its last refresh.
  package static func oneProviderCallPerExpiry(quiet: Duration) -> Expectation {
    Expectation("one_provider_call_per_expiry") { Refreshes(quiet: quiet) }
  }

  /// The tokens that were made since the client was last let in or refreshed.
  private struct Refreshes: ExpectationJudge {
    let quiet: Duration
    private var last: JournalLine?
    /// Whether a token of the user's came from the built-in provider at all.
    private var isMinted = false
    /// What counts if one did, be it later.
    private var failure: JournalVerdict?
    private var minted: [UInt64] = []
    private var request: UInt64?
    private var fingerprint: TokenFingerprint?
    private var isConnected = true
    private var count = 0
    private var lines: [UInt64] = []

    init(quiet: Duration) { self.quiet = quiet }

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      if line.event.kind == .providerMinted { isMinted = true }
      if failure == nil { failure = judge(line) }
      return isMinted ? failure : nil
    }

    private mutating func judge(_ line: JournalLine) -> JournalVerdict? {
      switch line.event {
      case .providerMinted: minted.append(line.number)
      case .refreshRequested: request = request ?? line.number
      case .closed: isConnected = false
      case .loggedIn(let grant, _):
        (minted, request, isConnected, fingerprint) = ([], nil, true, grant.fingerprint)
      case .refreshed(let grant, _):
        last = line
        // One token may serve the user's other connections too.
        if minted.isEmpty, grant.fingerprint == fingerprint {
          request = nil
          break
        }
        let told = (request.map { [$0] } ?? []) + minted + [line.number]
        guard minted.count == 1 else {
          return .failed(
            "\(ClientStory.Attempt.provider.text(minted.count)) for one refresh, where there is to be 1", told)
        }
        count += 1
        lines += told
        (minted, request, fingerprint) = ([], nil, grant.fingerprint)
      default: break
      }
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      guard isMinted else {
        guard let last else { return .undecided("there was no refresh", request.map { [$0] } ?? []) }
        if let doubt = end.doubt(quiet: quiet, since: last, .provider) { return doubt }
        return JournalVerdict(
          .notApplicable,
          "no token of the user's came from the built-in provider, so the journal cannot count the calls")
      }
      if let request, minted.count > 1 {
        return .failed("\(minted.count) provider calls for one request, which has no answer yet", [request] + minted)
      }
      if request == nil, count > 0, isConnected, let extra = minted.first {
        return .failed(
          "the provider was asked again after the refresh, though nobody had asked the client",
          lines.suffix(1) + [extra])
      }
      guard count > 0 else { return .undecided("there was no refresh", request.map { [$0] } ?? []) }
      if let request, isConnected {
        return .undecided("the client was asked for a token and has not answered yet", lines + [request])
      }
      if let last, let doubt = end.doubt(quiet: quiet, since: last, .provider) { return doubt }
      return .passed("\(count == 1 ? "1 refresh" : "\(count) refreshes"), one provider call for each", lines)
    }
  }
}
