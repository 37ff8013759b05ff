internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The claims of a Streem Token.
struct StreemClaims: Hashable, Sendable {
  /// The id of the signing API key.
  var apiKey: Name
  /// The application's id of the user.
  var subject: Name
  var audience: Name
  var issuedAt: WallTime
  /// The time until which the token may start a session.
  var expiresAt: WallTime
  /// The time until which the user stays logged in.
  var sessionExpiresAt: WallTime
  var name: String?
  var email: String?
  var picture: String?
  var reservation: Name?

  static let issuerPrefix = "streem:api:"
  static let reservationClaim: StaticString = "streem:reservation_sid"

  /// The claims as one JSON object, without absent ones.
  var json: [UInt8] {
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
