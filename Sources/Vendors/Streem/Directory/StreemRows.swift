internal import GatewayCore
internal import GatewayKit

/// The place of a user of an id: `usr_…` is ann of the company `acme`, for instance.
struct StreemUserPlace: StoreValue {
  var company: Name
  var externalID: Name
}

/// An API key that the gateway made for itself: retired when the gateway was started again, for instance.
struct StreemOwnKeyRow: StoreValue {
  var id: Name
  var createdAt: WallTime
  /// Whether the life of the gateway is over that it was made for.
  var isRetired = false
}

/// A user in the order in which a company's users identified last: ann ahead of bob, for instance.
struct StreemRecentRow: StoreValue {
  var externalID: Name
}

/// An invitation under the hash of its code, and whether it is taken: a second customer with the same code is told so,
/// for instance.
struct StreemInvitationRow: StoreValue {
  var invitation: StreemInvitation
  var isTaken = false
}
