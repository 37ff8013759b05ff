internal import GatewayCore

// The vendor's error numbers for refusals of the channel directory.

extension SendbirdError {
  /// Converts a refusal in answer to a socket command.
  init(command refusal: SendbirdChannelRefusal) {
    self =
      switch refusal {
      case .channelNotFound: .channelNotFound
      case .channelExists: .alreadyExists("Channel")
      case .wrongKind: .wrongChannelType
      case .messageNotFound: .messageNotFound
      case .notAMember: .notAMember
      case .notTheOwner: .notTheOwner
      case .senderDeactivated: .senderDeactivated
      case .frozen: .channelFrozen
      case .muted: .mutedInChannel
      case .banned: .banned
      case .blocked: .blocked
      case .tooManyChannels: .tooMany("channels")
      case .tooManyMembers: .tooMany("members")
      case .tooManyParticipants: .tooManyParticipants
      case .tooManyReactions: .tooMany("reactions")
      case .tooManyPins: .tooMany("pinned messages")
      case .pollNotFound: .notFound("Poll")
      case .optionNotFound: .notFound("PollOption")
      case .pollClosed: .unacceptable.detailed("The poll is closed.")
      case .tooManyOptions: .tooMany("options")
      case .tooManyVotes: .tooMany("votes")
      case .storeUnavailable: .temporaryFailure
      }
  }

  /// Converts a refusal over HTTP, where some causes have numbers of their own.
  init(request refusal: SendbirdChannelRefusal) {
    self =
      switch refusal {
      case .channelNotFound, .wrongKind: .notFound("Channel")
      case .messageNotFound: .notFound("Message")
      case .notAMember, .notTheOwner: .notAuthorized
      case .banned: .userBanned
      case .blocked: .userBlocked
      default: SendbirdError(command: refusal)
      }
  }
}
