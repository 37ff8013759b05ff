internal import GatewayCore
internal import GatewayKit

/// A call with its members and its session. One row, for the call is always looked at whole: rights, counts by role and
/// what is told of a change are made of everybody in it.
struct StreamCallRow: StoreValue {
  var call: StreamCall
  /// What the members take, of whom there may be thousands: added up only when they are others than before.
  var membersFootprint: Int
}

/// A call that a user takes part in, under the user and the connection.
struct StreamJoinedRow: StoreValue {
  var call: CallID
}
