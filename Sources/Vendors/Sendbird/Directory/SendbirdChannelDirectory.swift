package import GatewayCore

/// The channels of a Sendbird application, who is in them, and what was said last.
///
/// Obligations of every implementation: each operation is atomic; an answer reflects every operation whose answer its
/// caller had already seen; what a full table cannot hold is refused and loses nothing, but for messages, of which the
/// oldest give way; the numbers of channels and messages rise and are never given twice.
package protocol SendbirdChannelDirectory: Sendable {
  // Channels.

  /// Keeps a new channel and returns it with its number, or the one of the same members if both are distinct.
  func create(_ channel: SendbirdChannel) async throws(SendbirdChannelRefusal) -> SendbirdCreation
  func channel(_ url: Name) async -> SendbirdChannel?
  func channels(_ query: SendbirdChannelQuery) async -> SendbirdChannelPage
  /// Changes a channel in one step, and returns it as it is then. `change` may be made more than once, each time on a
  /// fresh copy.
  func update(
    _ url: Name, _ change: @escaping @Sendable (inout SendbirdChannel.Properties) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel
  /// Forgets a channel and its messages; returns what it was, with everybody who was in it.
  func delete(_ url: Name, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// How much is held.
  var usage: SendbirdChannelUsage { get async }

  // Members of group channels.

  /// Puts `users` among the members. Who is one already stays as they are; `changed` are the others.
  func invite(
    _ users: [SendbirdMember], to url: Name
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Makes a joined member of `user`, invited before or not. `changed` is empty for one who is.
  func join(_ url: Name, user: UserID, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Takes the users out; `changed` are those who were in. Operators stay operators.
  func leave(
    _ url: Name, users: Set<UserID>, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Takes the user out of every group channel; one membership for each that they were in.
  func leaveAll(_ user: UserID, at now: WallTime) async -> [SendbirdMembership]
  /// The group channels that the user is in no more since that time, because they left or the channel ended. Bounded:
  /// the oldest are forgotten first.
  func departures(of user: UserID, since: WallTime) async -> [Name]
  /// Lets a member of a group channel, or anybody in an open one, send again or no longer.
  func setMuted(_ isMuted: Bool, _ user: UserID, in url: Name) async throws(SendbirdChannelRefusal) -> SendbirdChannel
  /// Keeps a user out, or lets them in again. Who is kept out is a member no more.
  func setBanned(
    _ isBanned: Bool, _ user: UserID, in url: Name, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdMembership
  /// Lets `user` be blocked by `by`, or no longer.
  func setBlocked(_ isBlocked: Bool, _ user: UserID, by: UserID) async throws(SendbirdChannelRefusal)
  /// Notes that the member has read everything sent until `now`.
  func markRead(_ url: Name, user: UserID, at now: WallTime) async throws(SendbirdChannelRefusal) -> SendbirdChannel
  /// Notes that everything sent until `now` has arrived at the member.
  func markDelivered(
    _ url: Name, user: UserID, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdChannel
  /// How many messages of how many channels the user has not read.
  func unread(_ user: UserID) async -> SendbirdUnread
  /// The same of several users; who is not in the answer has read everything.
  func unread(_ users: Set<UserID>) async -> [UserID: SendbirdUnread]

  // Participants of open channels.

  /// Lets the user's connection be in an open channel. Being in it twice is being in it once.
  func enter(
    _ url: Name, user: UserID, by connection: ConnectionID
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation
  func exit(
    _ url: Name, user: UserID, by connection: ConnectionID
  ) async throws(SendbirdChannelRefusal) -> SendbirdParticipation
  /// Takes the connection out of every open channel.
  func exitAll(_ user: UserID, by connection: ConnectionID) async -> [SendbirdParticipation]
  func participants(_ url: Name) async throws(SendbirdChannelRefusal) -> [SendbirdParticipant]

  // Messages.

  /// Keeps a message and returns it with its number. The sender must be in the channel where `needsPresence`, and may
  /// be neither muted nor banned; a frozen channel takes messages of operators and of the application only. What it
  /// replies to must be there.
  func send(
    _ message: SendbirdMessage, needsPresence: Bool
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery
  /// Changes a message of `user`, of anybody if nil.
  func edit(
    _ id: Int64, in url: Name, by user: UserID?, _ change: @escaping @Sendable (inout SendbirdMessage) -> Void
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery
  /// Forgets a message of `user`, of anybody if nil.
  func deleteMessage(
    _ id: Int64, in url: Name, by user: UserID?, at now: WallTime
  ) async throws(SendbirdChannelRefusal) -> SendbirdDelivery
  /// The messages deleted since that time. Bounded: the oldest are forgotten first.
  func deletions(of url: Name, since: WallTime) async throws(SendbirdChannelRefusal) -> [SendbirdDeletion]
  func message(_ id: Int64, in url: Name) async throws(SendbirdChannelRefusal) -> SendbirdMessage
  /// The messages asked for, oldest first.
  func messages(
    of url: Name, _ query: SendbirdMessageQuery
  ) async throws(SendbirdChannelRefusal) -> [SendbirdMessage]
}
