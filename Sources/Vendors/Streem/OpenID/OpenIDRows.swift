internal import GatewayCore
internal import GatewayKit

/// An authorization code under its hash, and after its use what it became, so that a second use is noticed, for
/// instance.
struct OpenIDCodeRow: StoreValue {
  /// The worth of a code: the checked request with the user who logged in, ann for instance.
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

/// The grant of an access token, under the token's hash: that of ann's login of this morning, for instance.
struct OpenIDAccessRow: StoreValue {
  let grant: Name
}

/// The names of an account's grants, oldest first; some may have expired: of ann's logins on her phone and her tablet,
/// for instance.
struct OpenIDAccountRow: StoreValue {
  var grants: [Name]
}
