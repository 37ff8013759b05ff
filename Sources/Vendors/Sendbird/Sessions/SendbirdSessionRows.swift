internal import GatewayCore
internal import GatewayKit

/// The row of a session under its user and its number, with its place in the order of all logins.
struct SendbirdSessionRow: StoreValue {
  let id: UInt64
  var session: SendbirdSession
  /// Decides between sessions stored at one time: each node has an order of its own.
  let number: Int64
  /// When it was stored; nil in rows of earlier versions.
  var storedAt: WallTime?

  /// When it was stored, or could have been at the latest.
  var age: WallTime { storedAt ?? session.begunAt }
}

/// A session with its number.
struct SendbirdNumberedSession: Hashable, Sendable {
  let id: UInt64
  let session: SendbirdSession
}
