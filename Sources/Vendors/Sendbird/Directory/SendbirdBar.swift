package import GatewayCore
import GatewayKit

/// A bar between a user and a channel, or another user: eve is kept out of `talk`, for instance, or silent in it, or
/// blocked by ann.
package struct SendbirdBar: Hashable, StoreValue {
  /// Whom it is about; nil in a row of before lists were made of them.
  package var user: UserID?
  package var since: WallTime
  /// Nil for ever.
  package var until: WallTime?
  /// Why, in the words of whoever said so.
  package var description: String?

  package init(_ user: UserID, since: WallTime, until: WallTime? = nil, description: String? = nil) {
    self.user = user
    self.since = since
    self.until = until
    self.description = description
  }

  /// Whether it still holds.
  package func holds(at now: WallTime) -> Bool {
    until.map { now < $0 } ?? true
  }
}
