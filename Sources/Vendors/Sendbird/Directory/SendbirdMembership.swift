package import GatewayCore

/// The outcome of a wish for a channel: it was there already, for instance.
package struct SendbirdCreation: Hashable, Sendable {
  package var channel: SendbirdChannel
  /// False if it is a distinct channel that existed.
  package var isNew: Bool

  package init(channel: SendbirdChannel, isNew: Bool) {
    self.channel = channel
    self.isNew = isNew
  }
}

/// A channel whose members have changed: bob left `talk`, for instance.
package struct SendbirdMembership: Hashable, Sendable {
  package var channel: SendbirdChannel
  /// Who came or went.
  package var changed: [UserID]
  /// The connections that were in an open channel and are no more.
  package var connections: [ConnectionID]

  package init(channel: SendbirdChannel, changed: [UserID], connections: [ConnectionID] = []) {
    self.channel = channel
    self.changed = changed
    self.connections = connections
  }
}

/// An open channel after somebody entered it or left: `hall` with three in it, for instance.
package struct SendbirdParticipation: Hashable, Sendable {
  package var channel: SendbirdChannel
  package var user: UserID
  /// Whether the user came or went, and not only one of several connections.
  package var isChange: Bool

  package init(channel: SendbirdChannel, user: UserID, isChange: Bool) {
    self.channel = channel
    self.user = user
    self.isChange = isChange
  }
}

/// A user who is in an open channel: ann in `hall`, for instance.
package struct SendbirdParticipant: Hashable, Sendable {
  package var user: UserID
  package var isMuted: Bool

  package init(user: UserID, isMuted: Bool) {
    self.user = user
    self.isMuted = isMuted
  }
}
