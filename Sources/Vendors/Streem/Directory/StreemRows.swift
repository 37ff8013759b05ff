internal import GatewayCore
internal import GatewayKit

/// The row that finds a user by id.
struct StreemUserPlace: StoreValue {
  var company: Name
  var externalID: Name
}

/// An API key that the gateway created for itself.
struct StreemOwnKeyRow: StoreValue {
  var id: Name
  var createdAt: WallTime
  /// Whether the gateway has been restarted since.
  var isRetired = false
}

/// The row of a user in the order of a company's latest identifications.
struct StreemRecentRow: StoreValue {
  var externalID: Name
}

/// An invitation under the hash of its code, and whether it was taken.
struct StreemInvitationRow: StoreValue {
  var invitation: StreemInvitation
  var isTaken = false
}
