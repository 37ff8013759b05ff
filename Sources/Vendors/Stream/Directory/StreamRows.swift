internal import GatewayCore
internal import GatewayKit

/// A call with its session, and how many members it has: `default:standup` with 40, for instance. One row, for who is
/// in a session is always looked at whole: what is told of a change is made of everybody in it.
struct StreamCallRow: StoreValue {
  var call: StreamCall
}

/// A member of a call, bob for instance: under the call and the place in the order of their coming, and under the user
/// and the call.
struct StreamMemberRow: StoreValue {
  var call: CallID
  var place: Int
  var member: StreamCallMember
}

/// A call that a user takes part in, under the user and the connection: ann in `default:standup`, for instance.
struct StreamJoinedRow: StoreValue {
  var call: CallID
}
