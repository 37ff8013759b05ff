/// The most a ``MemorySendbirdChannels`` holds of anything.
package struct MemorySendbirdChannelLimits: Hashable, Sendable {
  package var channels: Int
  package var membersOfChannel: Int
  /// Members of all channels together.
  package var memberships: Int
  package var participantsOfChannel: Int
  /// Open channels that one connection is in.
  package var channelsOfConnection: Int
  /// Users kept out of one channel, and users blocked by all users together.
  package var bans: Int
  /// The oldest give way.
  package var messagesOfChannel: Int
  /// The oldest of all channels give way.
  package var messages: Int

  package init(
    channels: Int = 10_000, membersOfChannel: Int = 2_000, memberships: Int = 200_000,
    participantsOfChannel: Int = 20_000, channelsOfConnection: Int = 100, bans: Int = 10_000,
    messagesOfChannel: Int = 1_000, messages: Int = 50_000
  ) {
    self.channels = channels
    self.membersOfChannel = membersOfChannel
    self.memberships = memberships
    self.participantsOfChannel = participantsOfChannel
    self.channelsOfConnection = channelsOfConnection
    self.bans = bans
    self.messagesOfChannel = messagesOfChannel
    self.messages = messages
  }
}
