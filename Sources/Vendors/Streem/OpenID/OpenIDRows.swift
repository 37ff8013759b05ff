internal import GatewayCore
internal import GatewayKit

/// An authorization code under its hash, and after its use what it became.
struct OpenIDCodeRow: StoreValue {
  /// What it is worth.
  struct Worth: Codable {
    let authorization: OpenIDAuthorization
    let user: Name
  }

  let client: Name
  let company: Name
  let issuedAt: WallTime
  /// Nil once it has been used.
  var worth: Worth?
  /// The grant it became, if it became one.
  var grant: Name?
}

/// The grant of an access token, under the token's hash.
struct OpenIDAccessRow: StoreValue {
  let grant: Name
}

/// The names of an account's grants, oldest first; some may have expired.
struct OpenIDAccountRow: StoreValue {
  var grants: [Name]
}
