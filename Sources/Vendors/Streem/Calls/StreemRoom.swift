internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A call between two users: its parties, their roles and its state.
struct StreemRoom: Hashable, StoreValue {
  /// The state of a call.
  enum State: String, Hashable, Codable, Sendable {
    /// The other user has been notified.
    case ringing
    /// Both users are connected.
    case live
    case ended
  }

  /// One of the two users in a call.
  struct Party: Hashable, Codable, Sendable {
    var user: StreemUser
    var role: StreemRole
    /// The user's connection; nil until the user has joined.
    var connection: ConnectionID?
  }

  /// `rm_` and 22 letters and digits.
  let sid: Name
  /// The company's code.
  let company: Name
  let referenceID: Name?
  let createdAt: WallTime
  var state = State.ringing
  var caller: Party
  var callee: Party
  /// The end of the call; nil while it goes on.
  var endedAt: WallTime?
  /// The hashes of the tokens that share the call's details, in the order of their creation; nil for none.
  var shares: [[UInt8]]?

  /// The connections of the users who have joined.
  var connections: [ConnectionID] { [caller.connection, callee.connection].compactMap { $0 } }

  func write(to json: inout JSONWriter) {
    json.member("roomSid", sid.text)
    json.member("referenceId", orNull: referenceID?.text)
    json.member("state", state.rawValue)
    json.member("createdAt", secondsOf: createdAt.nanoseconds)
    json.member("participants", objects: [caller, callee]) { party, json in
      json.member("streemUserId", party.user.id.text)
      json.member("name", orNull: party.user.name)
      json.member("role", party.role.rawValue)
      json.member("isPresent", party.connection != nil && state != .ended)
    }
  }
}
