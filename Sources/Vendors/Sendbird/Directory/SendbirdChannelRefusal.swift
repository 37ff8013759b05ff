internal import GatewayKit

/// The reason why the channel directory refuses an operation.
enum SendbirdChannelRefusal: Error, Hashable, Sendable {
  case channelNotFound
  case channelExists
  /// An operation for open channels on a group channel, or vice versa.
  case wrongKind
  case messageNotFound
  case notAMember
  case notTheOwner
  case senderDeactivated
  case frozen
  case muted
  case banned
  /// In a channel of two users, the other user has blocked this one.
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
  /// The store is unavailable: the operation may or may not have been performed.
  case storeUnavailable
}

extension SendbirdChannelRefusal: StoreFailure {
  /// The name of what there are too many of, or what is too large.
  static let channels = "channels"
  static let participants = "participants"

  init(_ error: StoreError) {
    self =
      switch error {
      case .full(let count) where count.noun == Self.channels: .tooManyChannels
      case .full(let count) where count.noun == Self.participants: .tooManyParticipants
      case .full: .tooManyMembers
      case .unavailable, .unknown, .contended: .storeUnavailable
      }
  }
}
