package import GatewayCore

/// A fault that delays the verification of tokens.
package protocol VerificationDelay: Fault {
  var delay: Duration { get }
}

/// A fault that refuses a valid token, e.g. because its key has been rotated.
package protocol VerificationFault: Fault {
  /// Returns the error with which a valid token is refused; nil if it is accepted.
  ///
  /// - Parameters:
  ///   - isRefresh: Whether the user is logged in already.
  ///   - standing: The fault's entry in the book, with its beginning.
  func refusal(of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant) -> GatewayError?
}

/// The use of tokens that a fault affects: logins, refreshes, or both.
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
