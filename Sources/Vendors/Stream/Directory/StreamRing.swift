internal import GatewayCore
internal import GatewayKit

/// An open ring. Its users who have not answered when it ends have missed the call.
struct StreamRing: Hashable, StoreValue {
  var call: CallID
  /// The session that it rings for.
  var session: String
  var users: Set<UserID>
  var endsAt: WallTime
}
