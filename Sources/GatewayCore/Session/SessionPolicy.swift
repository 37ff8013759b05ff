/// The times and limits that a session keeps to: 60 s for the answer to a refresh request, for instance, or eight
/// refused tokens.
package struct SessionPolicy: Hashable, Sendable {
  /// The documented range of the refresh time-out.
  package static let documentedRefreshTimeouts: ClosedRange<Duration> = .seconds(60)...(.seconds(1800))

  /// How long an unauthenticated socket may stay.
  package let loginTimeout: Duration
  /// How long a client may take to answer a refresh request. 0 where the wire has no refresh on the connection:
  /// the request is then the error that says why, and the close follows at once.
  package let refreshTimeout: Duration
  /// How long before expiry the gateway asks.
  package let refreshLead: Duration
  /// The window ahead of that, over which the requests of many sessions are spread.
  package let refreshSpread: Duration
  /// How long a client that was refused its login may stay, to read why and go by itself; it is heard no more.
  package let refusalLinger: Duration
  /// How long the gateway waits for the peer to finish the closing handshake.
  package let closeTimeout: Duration
  /// How many refused tokens end the connection, counted since the last that was accepted.
  package let refusedRefreshesMax: Int
  /// How many malformed messages in a row end the connection.
  package let malformedMax: Int
  /// What happens to live sessions whose token is revoked.
  package let revocation: RevocationAction
  /// Whether a good token of somebody else logs the session's user out and that one in; else it is refused.
  package private(set) var allowsIdentityChange: Bool
  /// Whether anonymous users may log in: only where a vendor's wire is played that lets them, against the rule of the gate.
  package private(set) var admitsAnonymous = false

  /// Whether the first refused refresh ends the session, whatever ``refusedRefreshesMax`` is.
  package private(set) var endsAtRefusedRefresh = false
  /// Whether a session that ends for its token leaves the socket open: the user is logged out and may log in again.
  /// A refused login leaves it open too, up to ``refusedRefreshesMax`` of them.
  package private(set) var keepsSocketAtEnd = false

  /// The lot of live sessions whose token is revoked: they are closed, for instance.
  package enum RevocationAction: String, Hashable, Sendable, CaseIterable {
    /// They are asked for another token at once.
    case refresh
    /// They are closed.
    case close
  }

  /// A policy within its limits. Throws, with the name of what is wrong and what would be right.
  ///
  /// `anyRefreshTimeout` lets the refresh time-out leave 60...1800 s: for tests, and where a vendor's wire asks for it.
  package init(
    loginTimeout: Duration = .seconds(10), refreshTimeout: Duration = .seconds(60), refreshLead: Duration = .zero,
    refreshSpread: Duration = .zero, refusalLinger: Duration = .zero, closeTimeout: Duration = .seconds(5),
    refusedRefreshesMax: Int = 8,
    malformedMax: Int = 8, revocation: RevocationAction = .refresh, allowsIdentityChange: Bool = false,
    anyRefreshTimeout: Bool = false
  ) throws(SessionPolicyError) {
    guard loginTimeout > .zero else { throw SessionPolicyError("the login timeout must be longer than 0 s") }
    guard refreshTimeout >= .zero else { throw SessionPolicyError("the refresh timeout must not be negative") }
    guard anyRefreshTimeout || Self.documentedRefreshTimeouts.contains(refreshTimeout) else {
      throw SessionPolicyError("the refresh timeout must be 60 to 1800 s, or any with the explicit switch for tests")
    }
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
    self.refreshLead = refreshLead
    self.refreshSpread = refreshSpread
    self.refusalLinger = refusalLinger
    self.closeTimeout = closeTimeout
    self.refusedRefreshesMax = refusedRefreshesMax
    self.malformedMax = malformedMax
    self.revocation = revocation
    self.allowsIdentityChange = allowsIdentityChange
  }

  /// The same policy, for a wire on which anonymous users get a socket.
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

  /// The same policy, for a wire on which the socket outlives the session.
  package var keepingSocketAtEnd: SessionPolicy {
    var policy = self
    policy.endsAtRefusedRefresh = true
    policy.keepsSocketAtEnd = true
    return policy
  }

  /// The same policy, for a wire on which a token of somebody else is a new login.
  package var allowingIdentityChange: SessionPolicy {
    var policy = self
    policy.allowsIdentityChange = true
    return policy
  }
}

/// A refusal of a policy that was asked for and cannot be: a refresh time-out below zero, for instance.
package struct SessionPolicyError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A policy that all sessions of a wire keep to, held once for all of them: with 100,000 sessions one copy of the 60 s
/// for a refresh, for instance.
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
