internal import GatewayCore
internal import GatewayKit

/// The row that finds a user by id.
struct StreemUserPlace: StoreValue {
  var company: Name
  var externalID: Name
}

/// The key with which a gateway signs for a company, of which ``StreemDirectory/apiKey(_:at:)`` has the public half.
struct StreemSigningRow: StoreValue {
  var apiKey: Name
  /// The private key as a JWK. A secret.
  var jwk: String
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
