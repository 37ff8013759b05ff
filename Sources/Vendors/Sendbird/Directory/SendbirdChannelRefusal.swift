/// Why a directory of Sendbird channels does not do what it is asked.
package enum SendbirdChannelRefusal: Error, Hashable, Sendable {
  case channelNotFound
  case channelExists
  /// A group channel is asked for what open ones do, or the other way round.
  case wrongKind
  case messageNotFound
  case notAMember
  case notTheOwner
  case frozen
  case muted
  case banned
  /// A user of a channel of two, whom the other blocks.
  case blocked
  case tooManyChannels
  case tooManyMembers
  case tooManyParticipants
}
