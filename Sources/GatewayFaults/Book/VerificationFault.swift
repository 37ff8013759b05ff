package import GatewayCore

/// A fault of who judges tokens that costs time: 2 s for each, for instance.
package protocol VerificationDelay: Fault {
  var delay: Duration { get }
}

/// A fault of what a good token comes to: a refusal, since its key has been rotated, for instance.
package protocol VerificationFault: Fault {
  /// Why the token is refused that would have been accepted; nil if it is not.
  ///
  /// - Parameters:
  ///   - isRefresh: Whether its user is logged in already.
  ///   - standing: Since when it is ordered.
  func refusal(of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant) -> GatewayError?
}

/// The kind of verification that a fault is about, where not all are meant: a refresh, for instance, while logins go on
/// as ever.
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
