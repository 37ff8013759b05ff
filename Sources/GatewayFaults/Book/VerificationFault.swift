package import GatewayCore

/// A fault of who judges tokens that costs time.
package protocol VerificationDelay: Fault {
  var delay: Duration { get }
}

/// A fault of what a good token comes to.
package protocol VerificationFault: Fault {
  /// Why the token is refused that would have been accepted; nil if it is not.
  ///
  /// - Parameters:
  ///   - isRefresh: Whether its user is logged in already.
  ///   - standing: Since when it is ordered.
  func refusal(of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant) -> GatewayError?
}

/// Which tokens a verification is about, where not all are meant.
package enum TokenUse: String, Hashable, Sendable, CaseIterable {
  case login, refresh, any

  func takesIn(isRefresh: Bool) -> Bool {
    switch self {
    case .login: !isRefresh
    case .refresh: isRefresh
    case .any: true
    }
  }
}
