package import GatewayKit

/// The reason why a directory of Sendbird channels does not do what it is asked: there is no such channel, for
/// instance.
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
  case tooManyReactions
  case tooManyPins
  case pollNotFound
  case optionNotFound
  case pollClosed
  case tooManyOptions
  case tooManyVotes
  /// The store is away: it was done or not.
  case storeUnavailable
}

extension SendbirdChannelRefusal: StoreFailure {
  /// What is counted where there are too many channels, or too much of them.
  static let channels = "channels"

  package init(_ error: StoreError) {
    self =
      switch error {
      case .full(let count): count.noun == Self.channels ? .tooManyChannels : .tooManyMembers
      case .unavailable, .unknown, .contended: .storeUnavailable
      }
  }
}
