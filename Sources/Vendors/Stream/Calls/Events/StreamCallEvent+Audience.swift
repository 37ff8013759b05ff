internal import GatewayCore

// Which clients receive which event.

extension StreamCallEvent.Kind {
  /// Returns the receivers of the event: the call's watchers, and for an event that ``isForMembers`` all connections of
  /// the members too.
  ///
  /// - Parameters:
  ///   - call: The call in which it happened.
  ///   - members: All members of the call, if the event ``isForMembers``.
  func audience(of call: CallID, members: [StreamCallMember]) -> Audience {
    switch self {
    case .ring(_, _, let users), .notification(_, _, let users): .users(Set(users))
    case .permissions(_, let user): .users([user])
    case .created, .deleted, .accepted, .rejected, .missed: .callAndUsers(call, Set(members.map(\.user)))
    case .membersAdded(let members): .callAndUsers(call, Set(members.map(\.user)))
    case .membersRemoved(let users): .callAndUsers(call, Set(users))
    default: .call(call)
    }
  }

  /// Whether all members of the call receive the event, even if they do not watch the call.
  var isForMembers: Bool {
    switch self {
    case .created, .deleted, .accepted, .rejected, .missed: true
    default: false
    }
  }

  /// Whether the event contains the whole call.
  var showsCall: Bool {
    switch self {
    case .created, .updated, .deleted, .ended, .liveStarted, .sessionStarted, .sessionEnded, .membersAdded,
      .memberRolesChanged, .membersUpdated, .membersRemoved, .ring, .notification, .accepted, .rejected, .missed:
      true
    case .egress(let event): event.showsCall
    case .participantJoined, .participantLeft, .participantsCounted, .blocked, .unblocked, .kicked, .muted,
      .permissionRequest, .permissions, .reaction, .custom, .frame, .caption, .feedback, .pinned:
      false
    }
  }

  /// Whether the event contains the call's participants.
  var showsParticipants: Bool { if case .frame = self { true } else { showsCall } }

  /// Whether the event contains the call's first members.
  var showsMembers: Bool {
    switch self {
    case .created, .ring, .notification: true
    default: false
    }
  }

  /// Returns the members who missed the call, at most as many as the event shows.
  func missed(of members: [StreamCallMember]) -> [StreamCallMember] {
    guard case .missed(let users, _, _) = self else { return [] }
    let missed = Set(users)
    return Array(members.lazy.filter { missed.contains($0.user) }.prefix(StreamCallPicture.membersMax))
  }

  /// The users that the event contains besides the call's.
  var usersNamed: [UserID] {
    switch self {
    case .created, .updated, .deleted, .liveStarted, .sessionStarted, .sessionEnded: []
    case .ended(let user): user.map { [$0] } ?? []
    case .participantJoined(let participant, _), .participantLeft(let participant, _): [participant.user]
    case .membersAdded(let members), .memberRolesChanged(let members), .membersUpdated(let members): members.map(\.user)
    case .membersRemoved, .participantsCounted: []
    case .ring(let user, _, _), .notification(let user, _, _), .missed(_, let user, _): [user]
    case .accepted(let user), .rejected(let user, _), .unblocked(let user): [user]
    case .blocked(let user, let by), .kicked(let user, let by): [user] + (by.map { [$0] } ?? [])
    case .muted(_, let user), .permissionRequest(_, let user), .permissions(_, let user): [user]
    case .reaction(_, _, _, let user), .custom(_, let user): [user]
    case .caption(let caption): [caption.user]
    case .feedback(let feedback): [feedback.user]
    case .egress, .frame, .pinned: []
    }
  }
}
