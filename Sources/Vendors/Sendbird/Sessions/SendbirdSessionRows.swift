internal import GatewayCore
internal import GatewayKit

/// The row of a session under its user and its number, with its place in the order of all logins.
struct SendbirdSessionRow: StoreValue {
  let id: UInt64
  var session: SendbirdSession
  let number: Int64
}

/// A session with its number.
struct SendbirdNumberedSession: Hashable, Sendable {
  let id: UInt64
  let session: SendbirdSession
}
