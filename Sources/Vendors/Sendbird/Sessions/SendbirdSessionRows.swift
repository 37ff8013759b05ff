internal import GatewayCore
internal import GatewayKit

/// A session under its user and its number, and when it was opened among all.
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
