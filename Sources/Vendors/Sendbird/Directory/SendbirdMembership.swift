internal import GatewayCore

/// The result of a request to create a channel.
struct SendbirdCreation: Hashable, Sendable {
  var channel: SendbirdChannel
  /// False if it is an existing distinct channel.
  var isNew: Bool
}

/// A channel whose members have changed.
struct SendbirdMembership: Hashable, Sendable {
  var channel: SendbirdChannel
  /// The members who joined or left.
  var changed: [UserID]
  /// The connections that were removed from an open channel.
  var connections: [ConnectionID] = []
}

/// An open channel after a user entered or left it.
struct SendbirdParticipation: Hashable, Sendable {
  var channel: SendbirdChannel
  var user: UserID
  /// Whether the user came or left, and not just one of the user's connections.
  var isChange: Bool
}

/// A user who is in an open channel.
struct SendbirdParticipant: Hashable, Sendable {
  var user: UserID
  var isMuted: Bool
}
