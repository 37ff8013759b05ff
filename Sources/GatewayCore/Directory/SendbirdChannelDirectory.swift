/// The channels of a Sendbird application, who is in them, and what was said last.
///
/// Obligations of every implementation: each operation is atomic; an answer reflects every operation whose answer its
/// caller had already seen; what a full table cannot hold is refused and loses nothing, but for messages, of which the
/// oldest give way; the numbers of channels and messages rise and are never given twice.
package protocol SendbirdChannelDirectory: Sendable {
  // Channels.

  /// Keeps a new channel and returns it with its number, or the one of the same members if both are distinct.
  func create(_ channel: SendbirdChannel) async throws(SendbirdChannelRefusal) -> SendbirdCreation
  func channel(_ url: String) async -> SendbirdChannel?
  func channels(_ query: SendbirdChannelQuery) async -> SendbirdChannelPage
  /// Changes a channel in one step, and returns it as it is then. `change` may be made more than once, each time on a
  /// fresh copy.
  func update(
    _ url: String, _ change: @escaping @Sendable (inout SendbirdChannel.Properties) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel
  /// Forgets a channel and its messages; returns what it was, with everybody who was in it.
  func delete(_ url: String) async throws(SendbirdChannelRefusal) -> SendbirdMembership

  // Members of group channels.

  /// Puts `users` among the members. Who is one already stays as they are; `changed` are the others.
  func invite(
    _ users: [SendbirdMember], to url: String
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Makes a joined member of `user`, invited before or not. `changed` is empty for one who is.
  func join(_ url: String, user: UserID, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Takes the users out; `changed` are those who were in. Operators stay operators.
  func leave(_ url: String, users: Set<UserID>) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Takes the user out of every group channel; one membership for each that they were in.
  func leaveAll(_ user: UserID) async -> [SendbirdMembership]
  func setMuted(_ isMuted: Bool, _ user: UserID, in url: String) async throws(SendbirdChannelRefusal) -> SendbirdChannel
  /// Keeps a user out, or lets them in again. Who is kept out is a member no more.
  func setBanned(
    _ isBanned: Bool, _ user: UserID, in url: String
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Lets `user` be blocked by `by`, or no longer.
  func setBlocked(_ isBlocked: Bool, _ user: UserID, by: UserID) async throws(SendbirdChannelRefusal)
  /// Notes that the member has read everything sent until `now`.
  func markRead(_ url: String, user: UserID, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdChannel
  /// How many messages of how many channels the user has not read.
  func unread(_ user: UserID) async -> SendbirdUnread

  // Participants of open channels.

  /// Lets the user's connection be in an open channel. Being in it twice is being in it once.
  func enter(
    _ url: String, user: UserID, by connection: ConnectionID
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation
  func exit(
    _ url: String, user: UserID, by connection: ConnectionID
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation
  /// Takes the connection out of every open channel.
  func exitAll(_ user: UserID, by connection: ConnectionID) async -> [SendbirdParticipation]
  func participants(_ url: String) async throws(SendbirdChannelRefusal) -> [UserID]

  // Messages.

  /// Keeps a message and returns it with its number. The sender must be in the channel where `needsPresence`, and may
  /// be neither muted nor banned; a frozen channel takes messages of operators and of the application only.
  func send(
    _ message: SendbirdMessage, needsPresence: Bool
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery
  /// Changes a message of `user`, of anybody if nil.
  func edit(
    _ id: Int64, in url: String, by user: UserID?, _ change: @escaping @Sendable (inout SendbirdMessage) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery
  /// Forgets a message of `user`, of anybody if nil.
  func deleteMessage(
    _ id: Int64, in url: String, by user: UserID?
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery
  func message(_ id: Int64, in url: String) async throws(SendbirdChannelRefusal) -> SendbirdMessage
  /// The messages asked for, oldest first.
  func messages(
    of url: String, _ query: SendbirdMessageQuery
  ) async throws(SendbirdChannelRefusal) -> [SendbirdMessage]
}

/// What became of a wish for a channel.
package struct SendbirdCreation: Hashable, Sendable {
  package var channel: SendbirdChannel
  /// False if it is a distinct channel that existed.
  package var isNew: Bool

  package init(channel: SendbirdChannel, isNew: Bool) {
    self.channel = channel
    self.isNew = isNew
  }
}

/// A channel whose members have changed.
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

/// An open channel after somebody entered it or left.
package struct SendbirdParticipation: Hashable, Sendable {
  package var channel: SendbirdChannel
  package var user: UserID
  /// False if another connection of the user was in it, or still is.
  package var isChange: Bool

  package init(channel: SendbirdChannel, user: UserID, isChange: Bool) {
    self.channel = channel
    self.user = user
    self.isChange = isChange
  }
}

/// A message, and who hears of it.
package struct SendbirdDelivery: Hashable, Sendable {
  package var message: SendbirdMessage
  package var kind: SendbirdChannel.Kind
  /// ``SendbirdChannel/number``.
  package var channelNumber: Int64
  /// The joined members of a group channel; empty for an open one.
  package var members: Set<UserID>

  package init(message: SendbirdMessage, kind: SendbirdChannel.Kind, channelNumber: Int64, members: Set<UserID>) {
    self.message = message
    self.kind = kind
    self.channelNumber = channelNumber
    self.members = members
  }
}

/// What somebody has not read.
package struct SendbirdUnread: Hashable, Sendable {
  package var messages: Int
  package var channels: Int
  /// Messages by the custom type of their channel, where it has one.
  package var messagesByType: [String: Int]

  package init(messages: Int = 0, channels: Int = 0, messagesByType: [String: Int] = [:]) {
    self.messages = messages
    self.channels = channels
    self.messagesByType = messagesByType
  }
}
