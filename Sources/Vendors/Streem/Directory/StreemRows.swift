internal import GatewayCore
internal import GatewayKit

/// Where the user of an id stands.
struct StreemUserPlace: StoreValue {
  var company: Name
  var externalID: Name
}

/// An API key that the gateway made for itself.
struct StreemOwnKeyRow: StoreValue {
  var id: Name
  var createdAt: WallTime
  /// Whether the life of the gateway is over that it was made for.
  var isRetired = false
}

/// A user in the order in which a company's users identified last.
struct StreemRecentRow: StoreValue {
  var externalID: Name
}

/// An invitation under the hash of its code.
struct StreemInvitationRow: StoreValue {
  var invitation: StreemInvitation
  var isTaken = false
}
