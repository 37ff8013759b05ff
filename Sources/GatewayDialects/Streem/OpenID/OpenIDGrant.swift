internal import GatewayCore

/// What a person granted a client by logging in. Everything that came of one login ends together.
struct OpenIDGrant {
  /// Its name in ID tokens; says nothing that a refresh token is made of.
  let sid: String
  let issuer: String
  let company: String
  let client: String
  /// The application's name of the user.
  let user: String
  let scopes: [String]
  let nonce: String?
  let authenticatedAt: WallTime
  let expiresAt: WallTime
  /// The hash of the one refresh token that is good; nil for none.
  var refreshHash: [UInt8]?

  var hasProfile: Bool { scopes.contains("profile") }
}

/// What the token endpoint hands out.
struct OpenIDTokens {
  let grant: OpenIDGrant
  let access: String
  let refresh: String?
  let expiresAt: WallTime
}
