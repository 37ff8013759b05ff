internal import GatewayCore
internal import GatewayKit

/// A session under its user and its number, and when it was opened among all: ann's second, for instance.
struct SendbirdSessionRow: StoreValue {
  let id: UInt64
  var session: SendbirdSession
  let number: Int64
}

/// A session with its number: ann's second, for instance.
struct SendbirdNumberedSession: Hashable, Sendable {
  let id: UInt64
  let session: SendbirdSession
}
