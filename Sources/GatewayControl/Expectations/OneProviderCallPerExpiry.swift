internal import GatewayCore
internal import GatewayRuntime

extension Expectation {
  /// Exactly one token is made for each refresh: none before the request, none after the answer, and not two between. What
  /// is made to log in counts for none.
  package static let oneProviderCallPerExpiry = Expectation("one_provider_call_per_expiry") { story in
    guard story.lines.contains(where: { $0.event.kind == .providerMinted }) else {
      return JournalVerdict(
        .notApplicable, "no token of the user's came from the built-in provider, so the journal cannot count the calls")
    }
    var refreshes = Refreshes()
    for line in story.lines {
      if let failure = refreshes.failure(line) { return failure }
    }
    return refreshes.end
  }

  /// The tokens that were made since the client was last let in or refreshed.
  private struct Refreshes {
    private var minted: [UInt64] = []
    private var request: UInt64?
    private var fingerprint: TokenFingerprint?
    private var isConnected = true
    private var count = 0
    private var lines: [UInt64] = []

    mutating func failure(_ line: JournalLine) -> JournalVerdict? {
      switch line.event {
      case .providerMinted: minted.append(line.number)
      case .refreshRequested: request = request ?? line.number
      case .closed: isConnected = false
      case .loggedIn(let grant, _):
        (minted, request, isConnected, fingerprint) = ([], nil, true, grant.fingerprint)
      case .refreshed(let grant, _):
        // One token may serve the user's other connections too.
        if minted.isEmpty, grant.fingerprint == fingerprint { break }
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

    var end: JournalVerdict {
      if let request, minted.count > 1 {
        return .failed("\(minted.count) provider calls for one request, which has no answer yet", [request] + minted)
      }
      if request == nil, count > 0, isConnected, let extra = minted.first {
        return .failed(
          "the provider was asked again after the refresh, though nobody had asked the client",
          lines.suffix(1) + [extra])
      }
      guard count > 0 else { return .undecided("there was no refresh", request.map { [$0] } ?? []) }
      return .passed("\(count == 1 ? "1 refresh" : "\(count) refreshes"), one provider call for each", lines)
    }
  }
}
