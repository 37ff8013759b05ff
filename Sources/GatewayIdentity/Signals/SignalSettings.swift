package import GatewayCore
internal import GatewayTokens

/// The signals from outside that a gateway takes.
package struct SignalSettings: Sendable {
  /// The application's own logins; nil for none. An issuer's logout tokens are taken if its settings name an audience for them.
  package var login: LoginIssuers?
  /// The transmitter of security events; nil for none.
  package var transmitter: Transmitter?
  /// Whether anyone with a token of the gateway's own may revoke it (RFC 7009).
  package var takesRevocations = false
  /// Whether the application's login is asked about opaque tokens, which are not the gateway's own.
  package var takesOpaqueTokens = false

  package init() {}

  /// A sender of security event tokens by push (RFC 8935).
  package struct Transmitter: Sendable {
    /// Its keys, and its name.
    package let issuer: FetchedIssuer
    /// Our names at the transmitter, one of which an event must have as audience.
    package let audiences: [Name]
    /// The bearer secret that it must present; nil for none.
    package var secret: String?

    /// - Precondition: At least one audience.
    package init(_ issuer: FetchedIssuer, audiences: [Name], secret: String?) {
      precondition(!audiences.isEmpty, "events for any audience")
      self.issuer = issuer
      self.audiences = audiences
      self.secret = secret
    }
  }
}

extension EventRequirements {
  /// A logout token. Some issuers write `JWT` or nothing into `typ`, so it is distinguished from an access token by its
  /// `events`.
  static func logout(for audiences: [Name]) -> EventRequirements {
    EventRequirements(types: ["logout+jwt", "jwt"], allowsNoType: true, audiences: audiences, requiresExpiry: true)
  }

  /// A security event token (RFC 8417 section 2.3), which need not end.
  static func event(for audiences: [Name]) -> EventRequirements {
    EventRequirements(types: ["secevent+jwt"], allowsNoType: false, audiences: audiences, requiresExpiry: false)
  }
}
