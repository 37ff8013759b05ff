internal import GatewayCore
internal import GatewayKit

/// The row of a call with its session and its number of members. The session is part of the row because every event of
/// a change needs all participants.
struct StreamCallRow: StoreValue {
  var call: StreamCall
}

/// The row of a call's member, under the call and the place in the order of members, and under the user and the call.
struct StreamMemberRow: StoreValue {
  var call: CallID
  var place: Int
  var member: StreamCallMember
}

/// The row of a participation, under the user and the connection.
struct StreamJoinedRow: StoreValue {
  var call: CallID
}
