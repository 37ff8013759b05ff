internal import GatewayCore

/// A signal from outside about logins, named as its event is (CAEP 1.0 section 3, Shared Signals Framework 1.0 section 8.1.4).
package enum SignalKind: String, Hashable, Sendable, CaseIterable {
  /// A logout token (OpenID Connect Back-Channel Logout 1.0).
  case logout
  case sessionRevoked = "session-revoked"
  case tokenClaimsChange = "token-claims-change"
  case credentialChange = "credential-change"
  /// An event of the framework itself: a transmitter tries what it sends on, or tells of a change to that.
  case verification
  /// A revocation of one token (RFC 7009).
  case revocation
  /// An event that nothing follows from.
  case other

  private static let caep = "https://schemas.openid.net/secevent/caep/event-type/"
  private static let framework = "https://schemas.openid.net/secevent/ssf/event-type/"
  /// The member of `events` in a logout token.
  static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

  /// Returns the kind of the event with that address.
  init(event: String) {
    self =
      [SignalKind.sessionRevoked, .tokenClaimsChange, .credentialChange].first {
        Name(event) == Name(Self.caep + $0.rawValue)
      }
      ?? (event.utf8.starts(with: Self.framework.utf8) ? .verification : .other)
  }

  /// The address of the CAEP event of that kind.
  var event: String { Self.caep + rawValue }

  /// The signals that an operator can give by hand: signals that cause an order.
  package static let orders: [SignalKind] = [.logout, .sessionRevoked, .tokenClaimsChange, .credentialChange]
}
