package import GatewayCore
internal import GatewayKit

/// An open ring. Its users who have not answered when it ends have missed the call.
package struct StreamRing: Hashable, StoreValue {
  package var call: CallID
  /// The session that it rings for.
  package var session: String
  package var users: Set<UserID>
  package var endsAt: WallTime

  package init(call: CallID, session: String, users: Set<UserID>, endsAt: WallTime) {
    self.call = call
    self.session = session
    self.users = users
    self.endsAt = endsAt
  }
}
