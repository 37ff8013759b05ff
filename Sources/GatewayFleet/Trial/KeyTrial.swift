package import GatewayCore
internal import GatewayRuntime

/// A trial of how a gateway judges the tokens of a login whose keys the storm itself serves. It mints the tokens, and learns
/// what became of each. All loops share one.
package protocol KeyTrial: Sendable {
  /// Whether the client presents tokens whose key the gateway cannot know.
  func isForger(_ client: Int) -> Bool

  /// Returns the next token of a client.
  func mint(for client: Int, user: UserID, issuedAt: WallTime, expiresAt: WallTime) -> Credentials

  /// Notes that the gateway accepted the client's latest token.
  func accepted(_ client: Int, at now: WallTime)

  /// Notes that the client's latest token was not accepted; `isRefused` if the gateway said that the token is not good, and
  /// did not say that it cannot judge it.
  func unaccepted(_ client: Int, isRefused: Bool)
}

extension ClientRecord {
  /// The outcome of the token that the client presented last, as a record says it.
  enum TokenFate: Hashable, Sendable {
    case accepted
    case refused
    /// The connection ended without a judgement: the gateway is away, busy, or cannot judge tokens.
    case unjudged
  }

  /// The fate of the latest token; nil if the record says nothing about it.
  var tokenFate: TokenFate? {
    switch self {
    case .connected, .refreshed: .accepted
    case .refreshRefused(let reason), .returnRefused(let reason, _), .connectFailed(let reason),
      .returnFailed(let reason), .interrupted(let reason):
      TokenRefusal.isOne(reason) ? .refused : .unjudged
    case .lost(let reason, _, let timedOut): !timedOut && TokenRefusal.isOne(reason) ? .refused : .unjudged
    case .connecting, .unfinished, .asked, .askedAgain, .answered, .margin, .endedKnowing, .gaveUp, .reconnecting,
      .returned, .left, .error:
      nil
    }
  }
}

/// The reasons in the ledger that say that a token is not good.
enum TokenRefusal {
  /// Returns whether a reason is the gateway's judgement of a token: HTTP 401 and 403, the close codes 1008 and 4000 to 4999,
  /// and errors by name, except those of a gateway that is busy or cannot judge.
  static func isOne(_ reason: String) -> Bool {
    let word = reason.prefix { $0 != " " }
    if let code = Int(word) { return code == 1008 || (4000...4999).contains(code) }
    if word.hasPrefix("http_") { return ["http_401", "http_403"].contains(word) }
    if word.hasPrefix("provider_") || others.contains(String(word)) { return false }
    guard let error = GatewayError.all.first(where: { $0.name.utf8.elementsEqual(word.utf8) }) else { return true }
    return [401, 403].contains(error.httpStatus)
  }

  /// The reasons that no gateway has told.
  private static let others: Set<String> = Set(
    ["timed_out", "unreachable", "client_returns", ClientSession.silence] + TLSFailure.allCases.map(\.rawValue))
}
