/// The most a ``SendbirdChannels`` holds of anything.
package struct SendbirdChannelLimits: Hashable, Sendable {
  package var channels: Int
  /// What channels' names, data and operators take, of all together.
  package var channelBytes: Int
  package var membersOfChannel: Int
  /// Members of all channels together.
  package var memberships: Int
  package var participantsOfChannel: Int
  /// Open channels that one connection is in.
  package var channelsOfConnection: Int
  /// Users kept out of one channel, or silent in it, and users blocked by all users together.
  package var bans: Int
  /// Users kept out of all channels, or silent in them, together.
  package var bansOfAll: Int
  /// The oldest give way.
  package var messagesOfChannel: Int
  package var messageBytesOfChannel: Int
  /// The oldest of all channels give way.
  package var messages: Int
  package var messageBytes: Int
  /// Messages of one channel that are remembered as deleted, of all together, of which the oldest give way, and channels
  /// that users are remembered to have left.
  package var deletionsOfChannel: Int
  package var deletions: Int
  package var departures: Int
  package var polls: Int

  package init(
    channels: Int = 10_000, channelBytes: Int = 64 << 20, membersOfChannel: Int = 2_000, memberships: Int = 200_000,
    participantsOfChannel: Int = 20_000, channelsOfConnection: Int = 100, bans: Int = 10_000,
    bansOfAll: Int = 100_000, messagesOfChannel: Int = 1_000, messageBytesOfChannel: Int = 8 << 20,
    messages: Int = 50_000, messageBytes: Int = 64 << 20, deletionsOfChannel: Int = 1_000, deletions: Int = 100_000,
    departures: Int = 50_000, polls: Int = 10_000
  ) {
    self.channels = channels
    self.channelBytes = channelBytes
    self.membersOfChannel = membersOfChannel
    self.memberships = memberships
    self.participantsOfChannel = participantsOfChannel
    self.channelsOfConnection = channelsOfConnection
    self.bans = bans
    self.bansOfAll = bansOfAll
    self.messagesOfChannel = messagesOfChannel
    self.messageBytesOfChannel = messageBytesOfChannel
    self.messages = messages
    self.messageBytes = messageBytes
    self.deletionsOfChannel = deletionsOfChannel
    self.deletions = deletions
    self.departures = departures
    self.polls = polls
  }
}
