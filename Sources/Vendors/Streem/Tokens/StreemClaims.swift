package import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The claims of a Streem Token.
package struct StreemClaims: Hashable, Sendable {
  /// The id of the signing API key.
  package var apiKey: Name
  /// The application's id of the user.
  package var subject: Name
  package var audience: Name
  package var issuedAt: WallTime
  /// The time until which the token may start a session.
  package var expiresAt: WallTime
  /// The time until which the user stays logged in.
  package var sessionExpiresAt: WallTime
  package var name: String?
  package var email: String?
  package var picture: String?
  package var reservation: Name?

  package init(
    apiKey: Name, subject: Name, audience: Name, issuedAt: WallTime, expiresAt: WallTime,
    sessionExpiresAt: WallTime, name: String? = nil, email: String? = nil, picture: String? = nil,
    reservation: Name? = nil
  ) {
    self.apiKey = apiKey
    self.subject = subject
    self.audience = audience
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.sessionExpiresAt = sessionExpiresAt
    self.name = name
    self.email = email
    self.picture = picture
    self.reservation = reservation
  }

  static let issuerPrefix = "streem:api:"
  static let reservationClaim: StaticString = "streem:reservation_sid"

  /// The claims as one JSON object, without absent ones.
  package var json: [UInt8] {
    JSONWriter.object(capacity: 320) { json in
      json.member("iss", Self.issuerPrefix + apiKey.text)
      json.member("sub", subject.text)
      json.member("aud", audience.text)
      json.name("iat")
      json.raw(NumericDate.text(issuedAt))
      json.name("exp")
      json.raw(NumericDate.text(expiresAt))
      json.name("session_exp")
      json.raw(NumericDate.text(sessionExpiresAt))
      if let name { json.member("name", name) }
      if let email { json.member("email", email) }
      if let picture { json.member("picture", picture) }
      if let reservation { json.member(Self.reservationClaim, reservation.text) }
    }
  }
}
