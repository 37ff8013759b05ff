internal import GatewayCore
internal import GatewayKit

/// An authorization code under its hash; after its use also the grant, so that a second use is detected.
struct OpenIDCodeRow: StoreValue {
  /// The data of an unused code.
  struct Worth: Codable {
    let authorization: OpenIDAuthorization
    let user: Name
  }

  let client: Name
  let company: Name
  let issuedAt: WallTime
  /// Nil once it was used.
  var worth: Worth?
  /// The grant that it became, if any.
  var grant: Name?
}

/// The grant of an access token, under the token's hash.
struct OpenIDAccessRow: StoreValue {
  let grant: Name
}

/// The names of an account's grants, oldest first. Some may have expired.
struct OpenIDAccountRow: StoreValue {
  var grants: [Name]
}
