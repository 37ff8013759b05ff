package import GatewayCore

/// The result of a request to create a channel.
package struct SendbirdCreation: Hashable, Sendable {
  package var channel: SendbirdChannel
  /// False if it is an existing distinct channel.
  package var isNew: Bool

  package init(channel: SendbirdChannel, isNew: Bool) {
    self.channel = channel
    self.isNew = isNew
  }
}

/// A channel whose members have changed.
package struct SendbirdMembership: Hashable, Sendable {
  package var channel: SendbirdChannel
  /// The members who joined or left.
  package var changed: [UserID]
  /// The connections that were removed from an open channel.
  package var connections: [ConnectionID]

  package init(channel: SendbirdChannel, changed: [UserID], connections: [ConnectionID] = []) {
    self.channel = channel
    self.changed = changed
    self.connections = connections
  }
}

/// An open channel after somebody entered it or left.
package struct SendbirdParticipation: Hashable, Sendable {
  package var channel: SendbirdChannel
  package var user: UserID
  /// Whether the user came or left, and not just one of the user's connections.
  package var isChange: Bool

  package init(channel: SendbirdChannel, user: UserID, isChange: Bool) {
    self.channel = channel
    self.user = user
    self.isChange = isChange
  }
}

/// A user who is in an open channel.
package struct SendbirdParticipant: Hashable, Sendable {
  package var user: UserID
  package var isMuted: Bool

  package init(user: UserID, isMuted: Bool) {
    self.user = user
    self.isMuted = isMuted
  }
}
