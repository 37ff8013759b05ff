internal import GatewayCore
internal import GatewayKit

/// A person's grant to a client, made by logging in: ann's for `streem-sdk`, with the scope `profile`, for instance.
/// Everything that came of one login ends together.
struct OpenIDGrant: StoreValue {
  /// Its name in ID tokens; says nothing that a refresh token is made of.
  let sid: Name
  let issuer: String
  let company: Name
  let client: Name
  /// The application's name of the user.
  let user: Name
  let scopes: [Name]
  let nonce: String?
  let authenticatedAt: WallTime
  let expiresAt: WallTime
  /// The hash of the one refresh token that is good; nil for none.
  var refreshHash: [UInt8]?
  /// The hashes of the access tokens that are good, the oldest first.
  var accessHashes: [[UInt8]] = []

  var account: OpenIDAccount { OpenIDAccount(company: company, user: user) }

  /// About how much room it takes, in bytes.
  var bytes: Int { 512 + issuer.utf8.count + user.text.utf8.count + (nonce?.utf8.count ?? 0) }

  var hasProfile: Bool { scopes.contains("profile") }
}

/// The tokens that the token endpoint hands out: an access token, for instance, and a refresh token where one was
/// granted.
struct OpenIDTokens {
  let grant: OpenIDGrant
  let access: String
  let refresh: String?
  let expiresAt: WallTime
}
