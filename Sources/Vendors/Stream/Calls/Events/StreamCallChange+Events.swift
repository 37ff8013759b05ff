internal import GatewayCore

// The events that follow from a change, derived by comparing the call before and after it.

extension StreamCallChange {
  /// Returns the events of the change, in the order in which they are sent.
  ///
  /// - Parameters:
  ///   - user: The user who made the change; nil for a server that acts for no user.
  ///   - now: The time of the change.
  func happenings(by user: UserID?, at now: WallTime) -> [StreamCallEvent.Kind] {
    var happenings: [StreamCallEvent.Kind] = []
    if before.endedAt == nil, after.endedAt != nil { happenings.append(.ended(by: user)) }
    happenings += memberHappenings
    let old = before.liveSession
    let new = after.liveSession
    if let new, new.startedAt != nil, old?.id != new.id || old?.startedAt == nil {
      happenings.append(.sessionStarted(new.id))
    }
    if before.egress != after.egress { happenings += started }
    // Anonymous participants are not announced.
    let moves = Self.moves(before.present, after.present)
    let (left, joined) = (moves.left.filter { $0.user != .anonymous }, moves.joined.filter { $0.user != .anonymous })
    if let old { happenings += left.map { .participantLeft($0, session: old.id) } }
    if let new { happenings += joined.map { .participantJoined($0, session: new.id) } }
    if let counted { happenings.append(counted) }
    if before.egress != after.egress { happenings += stopped(at: now) }
    if let old, old.startedAt != nil, new?.id != old.id { happenings.append(.sessionEnded(old.id)) }
    if let session = after.session {
      let former = before.session?.missedBy ?? [:]
      let missed = session.missedBy.filter { former[$0.key] != $0.value }.keys.sorted()
      if !missed.isEmpty { happenings.append(.missed(missed, by: after.createdBy, session: session.id)) }
    }
    if let new, (old?.pins ?? []) != (new.pins ?? []) { happenings.append(.pinned(new.pins ?? [])) }
    return happenings
  }

  /// Returns the participants who left and the ones who joined.
  static func moves(
    _ old: [StreamCallParticipant], _ new: [StreamCallParticipant]
  ) -> (left: [StreamCallParticipant], joined: [StreamCallParticipant]) {
    let (old, new) = differing(old, new)
    let (oldIDs, newIDs) = (Set(old.map(\.sessionID)), Set(new.map(\.sessionID)))
    return (
      old.filter { !newIDs.contains($0.sessionID) }, new.filter { !oldIDs.contains($0.sessionID) }
    )
  }

  /// Returns the part in which the two lists differ: most changes concern one participant among perhaps thousands.
  static func differing(
    _ old: [StreamCallParticipant], _ new: [StreamCallParticipant]
  ) -> (old: ArraySlice<StreamCallParticipant>, new: ArraySlice<StreamCallParticipant>) {
    let head = zip(old, new).prefix { $0 == $1 }.count
    let (old, new) = (old.dropFirst(head), new.dropFirst(head))
    let tail = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
    return (old.dropLast(tail), new.dropLast(tail))
  }

  /// An event with the participant counts, if clients cannot derive them from joins and leaves: because of anonymous
  /// participants, and of those beyond the participants that are shown.
  private var counted: StreamCallEvent.Kind? {
    guard let new = after.liveSession, before.present != after.present else { return nil }
    let anonymous = after.present.count { $0.user == .anonymous }
    guard
      anonymous != before.present.count(where: { $0.user == .anonymous })
        || after.present.count > StreamCallPicture.participantsMax
    else { return nil }
    let byRole = Dictionary(grouping: after.present.lazy.filter { $0.user != .anonymous }, by: \.role)
    return .participantsCounted(session: new.id, byRole: byRole.mapValues(\.count), anonymous: anonymous)
  }

  private var memberHappenings: [StreamCallEvent.Kind] {
    let changes = after.members.changes(since: before.members).map { (old: $0.before?.member, new: $0.after?.member) }
    let added = changes.compactMap { $0.old == nil ? $0.new : nil }
    let removed = changes.compactMap { $0.new == nil ? $0.old?.user : nil }
    let kept = changes.compactMap { change in change.old.flatMap { old in change.new.map { (old: old, new: $0) } } }
    let reranked = kept.filter { $0.old.role != $0.new.role }.map(\.new)
    let updated = kept.filter { $0.old.custom != $0.new.custom }.map(\.new)
    var happenings: [StreamCallEvent.Kind] = []
    if !added.isEmpty { happenings.append(.membersAdded(added)) }
    if !reranked.isEmpty { happenings.append(.memberRolesChanged(reranked)) }
    if !updated.isEmpty { happenings.append(.membersUpdated(updated)) }
    if !removed.isEmpty { happenings.append(.membersRemoved(removed)) }
    return happenings
  }
}

extension StreamCall {
  /// The participants of the current session.
  var present: [StreamCallParticipant] { liveSession?.participants ?? [] }
}
