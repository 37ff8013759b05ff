/// The times and limits of a session.
package struct SessionPolicy: Hashable, Sendable {
  /// The documented range of the refresh timeout.
  package static let documentedRefreshTimeouts: ClosedRange<Duration> = .seconds(60)...(.seconds(1800))

  /// The time that an unauthenticated socket may stay open.
  package let loginTimeout: Duration
  /// The time that a client has to answer a refresh request. 0 where the wire has no refresh on the connection: the
  /// request is then the error that gives the reason, and the close follows at once.
  package let refreshTimeout: Duration
  /// The time from a refresh request to the end of the session if tokens cannot be verified. A shorter outage ends no
  /// session whose client presents tokens. The refresh timeout if that is longer.
  package let outageMax: Duration
  /// The lead time of a refresh request before expiry.
  package let refreshLead: Duration
  /// The window before the lead time, over which the requests of many sessions are spread.
  package let refreshSpread: Duration
  /// The time that a client may stay connected after a refused login, to read the error and close by itself. Its
  /// messages are ignored.
  package let refusalLinger: Duration
  /// The time that the gateway waits for the peer to finish the closing handshake.
  package let closeTimeout: Duration
  /// The number of refused tokens since the last accepted one that ends the connection.
  package let refusedRefreshesMax: Int
  /// The number of malformed messages in a row that ends the connection.
  package let malformedMax: Int
  /// The action for live sessions whose token is revoked.
  package let revocation: RevocationAction
  /// Whether a valid token of another user logs out the session's user and logs in the other. If not, the token is
  /// refused.
  package private(set) var allowsIdentityChange: Bool
  /// Whether anonymous users may log in. True only for a vendor's wire that allows it; the gateway's own rule forbids
  /// it.
  package private(set) var admitsAnonymous = false

  /// Whether the first refused refresh ends the session, whatever ``refusedRefreshesMax`` is.
  package private(set) var endsAtRefusedRefresh = false
  /// Whether a session that ends because of its token leaves the socket open: the user is logged out and may log in
  /// again. A refused login leaves it open too, until ``refusedRefreshesMax`` is reached.
  package private(set) var keepsSocketAtEnd = false

  /// The action for live sessions whose token is revoked.
  package enum RevocationAction: String, Hashable, Sendable, CaseIterable {
    /// Another token is requested at once.
    case refresh
    /// The sessions are closed.
    case close
  }

  /// Whether the refresh timeout counts from the token's expiry, even if the request came before: for a wire on which the
  /// gateway renews by itself ahead of the expiry.
  package private(set) var countsTimeoutFromExpiry = false

  /// Creates a policy. Throws an error that names the wrong value and its limit.
  ///
  /// `anyRefreshTimeout` allows a refresh timeout outside 60...1800 s: for tests, and for a vendor's wire that requires
  /// it.
  package init(
    loginTimeout: Duration = .seconds(10), refreshTimeout: Duration = .seconds(60),
    outageMax: Duration = .seconds(3_600), refreshLead: Duration = .zero, refreshSpread: Duration = .zero,
    refusalLinger: Duration = .zero, closeTimeout: Duration = .seconds(5),
    refusedRefreshesMax: Int = 8,
    malformedMax: Int = 8, revocation: RevocationAction = .refresh, allowsIdentityChange: Bool = false,
    anyRefreshTimeout: Bool = false
  ) throws(SessionPolicyError) {
    guard loginTimeout > .zero else { throw SessionPolicyError("the login timeout must be longer than 0 s") }
    guard refreshTimeout >= .zero else { throw SessionPolicyError("the refresh timeout must not be negative") }
    guard anyRefreshTimeout || Self.documentedRefreshTimeouts.contains(refreshTimeout) else {
      throw SessionPolicyError(
        "the refresh timeout must be 60 to 1800 s, not \(refreshTimeout.inSeconds) s; for tests, allow any")
    }
    guard outageMax >= .zero else { throw SessionPolicyError("the longest outage must not be negative") }
    guard refreshLead >= .zero else { throw SessionPolicyError("the refresh lead must not be negative") }
    guard refreshSpread >= .zero else { throw SessionPolicyError("the refresh spread must not be negative") }
    guard refusalLinger >= .zero else {
      throw SessionPolicyError("the time a refused client may stay must not be negative")
    }
    guard closeTimeout > .zero else { throw SessionPolicyError("the close timeout must be longer than 0 s") }
    guard refusedRefreshesMax > 0 else {
      throw SessionPolicyError("the number of refused tokens that ends a connection must be 1 or more")
    }
    guard malformedMax > 0 else {
      throw SessionPolicyError("the number of malformed messages that ends a connection must be 1 or more")
    }
    self.loginTimeout = loginTimeout
    self.refreshTimeout = refreshTimeout
    self.outageMax = max(outageMax, refreshTimeout)
    self.refreshLead = refreshLead
    self.refreshSpread = refreshSpread
    self.refusalLinger = refusalLinger
    self.closeTimeout = closeTimeout
    self.refusedRefreshesMax = refusedRefreshesMax
    self.malformedMax = malformedMax
    self.revocation = revocation
    self.allowsIdentityChange = allowsIdentityChange
  }

  /// The same policy, for a wire on which anonymous users may open a socket.
  package var admittingAnonymous: SessionPolicy {
    var policy = self
    policy.admitsAnonymous = true
    return policy
  }

  /// The same policy, for a wire on which a refused refresh ends the session.
  package var endingAtRefusedRefresh: SessionPolicy {
    var policy = self
    policy.endsAtRefusedRefresh = true
    return policy
  }

  /// The same policy, for a wire on which the gateway renews tokens by itself ahead of their expiry.
  package var countingTimeoutFromExpiry: SessionPolicy {
    var policy = self
    policy.countsTimeoutFromExpiry = true
    return policy
  }

  /// The same policy, for a wire on which the socket outlives the session.
  package var keepingSocketAtEnd: SessionPolicy {
    var policy = self
    policy.endsAtRefusedRefresh = true
    policy.keepsSocketAtEnd = true
    return policy
  }

  /// The same policy, for a wire on which a token of another user is a new login.
  package var allowingIdentityChange: SessionPolicy {
    var policy = self
    policy.allowsIdentityChange = true
    return policy
  }
}

/// An error for a value that a policy does not allow.
package struct SessionPolicyError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A policy shared by all sessions of a wire, so that 100,000 sessions hold one copy.
package final class SharedSessionPolicy: Hashable, Sendable {
  package let policy: SessionPolicy

  package init(_ policy: SessionPolicy) {
    self.policy = policy
  }

  package static func == (one: SharedSessionPolicy, other: SharedSessionPolicy) -> Bool {
    one === other || one.policy == other.policy
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(policy) }
}
