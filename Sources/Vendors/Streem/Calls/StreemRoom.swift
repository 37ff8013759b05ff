package import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A call of two, who called whom, as what, and how far it has come: it still rings at bob's, for instance.
package struct StreemRoom: Hashable, StoreValue {
  /// The state of a call: it rings, for instance.
  package enum State: String, Hashable, Codable, Sendable {
    /// The other one has been told.
    case ringing
    /// Both are there.
    case live
    case ended
  }

  /// One of the two in a call: ann as `REMOTE_PRO`, on a connection of hers, for instance.
  package struct Party: Hashable, Codable, Sendable {
    package var user: StreemUser
    package var role: StreemRole
    /// Nil until the user is there.
    package var connection: ConnectionID?
  }

  /// `rm_` and 22 letters and digits.
  package let sid: Name
  /// The code of the company.
  package let company: Name
  package let referenceID: Name?
  package let createdAt: WallTime
  package var state = State.ringing
  package var caller: Party
  package var callee: Party
  /// When it ended; nil until then.
  package var endedAt: WallTime?
  /// The hashes of the tokens that the call's details are shared by, in the order of their making; nil for none.
  package var shares: [[UInt8]]?

  /// The connections of those who are there.
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
