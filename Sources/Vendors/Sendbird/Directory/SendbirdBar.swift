internal import GatewayCore
import GatewayKit

/// A ban or mute of a user in a channel, or a block by another user.
struct SendbirdBar: Hashable, StoreValue {
  /// The user concerned; nil in rows from before they could be listed.
  var user: UserID?
  var since: WallTime
  /// The end; nil for none.
  var until: WallTime?
  /// The reason that its author gave.
  var description: String?

  init(_ user: UserID, since: WallTime, until: WallTime? = nil, description: String? = nil) {
    self.user = user
    self.since = since
    self.until = until
    self.description = description
  }

  /// Returns whether it is still in force.
  func holds(at now: WallTime) -> Bool {
    until.map { now < $0 } ?? true
  }
}
