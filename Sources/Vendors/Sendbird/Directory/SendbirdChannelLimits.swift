/// The size limits of a ``SendbirdChannels``.
struct SendbirdChannelLimits: Hashable, Sendable {
  var channels: Int
  /// The bytes of names, data and operators of all channels.
  var channelBytes: Int
  var membersOfChannel: Int
  /// Members of all channels together.
  var memberships: Int
  var participantsOfChannel: Int
  /// Open channels that one connection may be in.
  var channelsOfConnection: Int
  /// Users banned or muted in one channel, and users blocked by all users in total.
  var bans: Int
  /// Users banned or muted in all channels in total.
  var bansOfAll: Int
  /// Messages of one channel; the oldest are displaced.
  var messagesOfChannel: Int
  var messageBytesOfChannel: Int
  /// Messages of all channels; the oldest are displaced.
  var messages: Int
  var messageBytes: Int
  /// Remembered deletions of messages in one channel, and of all channels (the oldest are displaced), and remembered
  /// departures of users from channels.
  var deletionsOfChannel: Int
  var deletions: Int
  var departures: Int
  var polls: Int

  init(
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
