internal import GatewayCore
internal import GatewayKit

/// Where the user of an id stands.
struct StreemUserPlace: StoreValue {
  var company: Name
  var externalID: Name
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
