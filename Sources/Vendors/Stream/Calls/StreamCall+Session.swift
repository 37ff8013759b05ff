internal import GatewayCore

// Start, course and end of sessions.

extension StreamCall {
  /// Adds the user to the session, and starts it for the first user. A second join by the same connection changes
  /// nothing. Each anonymous join is a new participant, who stays for `anonymousStay`.
  mutating func join(
    _ user: UserID, role: Name, on connection: ConnectionID?, at now: WallTime, anonymousStay: Duration
  ) {
    var session = continuedSession(at: now)
    session.participants.removeAll { $0.user == .anonymous && $0.joinedAt + anonymousStay <= now }
    let isIn = session.participants.contains { $0.user == user && $0.connection == connection }
    if user == .anonymous || !isIn {
      session.joinCount += 1
      session.participants.append(
        StreamCallParticipant(
          user: user, role: role, connection: connection, sessionID: StreamIdentifier.text(now, session.joinCount),
          joinedAt: now))
    }
    begin(&session, with: user, at: now)
    self.session = session
  }

  /// Notes that the user is in the session, which the first user starts.
  mutating func begin(_ session: inout StreamCallSession, with user: UserID, at now: WallTime) {
    if session.startedAt == nil {
      session.startedAt = now
      if !isBackstage { session.liveStartedAt = now }
      startAutomatically(in: session.id, at: now)
    }
    session.ringing.remove(user)
  }

  /// Removes the participants that `isLeaving` selects. The session ends when no visible participant is left.
  mutating func leave(at now: WallTime, where isLeaving: (StreamCallParticipant) -> Bool) {
    guard var session = liveSession else { return }
    let before = session.participants.count
    session.participants.removeAll(where: isLeaving)
    guard session.participants.count < before else { return }
    if let pins = session.pins {
      session.pins = pins.filter { pin in session.participants.contains { $0.sessionID == pin.sessionID } }
    }
    self.session = session
    if session.participants.allSatisfy({ $0.user == .anonymous }) { endSession(at: now) }
  }

  /// Ends the session; users who have not answered its ring have missed it.
  mutating func endSession(at now: WallTime) {
    guard var session = liveSession else { return }
    miss(session.ringing, in: &session, at: now)
    if session.liveStartedAt != nil && session.liveEndedAt == nil { session.liveEndedAt = now }
    session.endedAt = now
    session.participants = []
    session.pins = nil
    self.session = session
    egress?.stopAll()
  }

  /// Rings for the users. A user who is rung again may answer again.
  mutating func ring(_ users: [UserID], at now: WallTime) {
    var session = continuedSession(at: now)
    for user in users where !session.participants.contains(where: { $0.user == user }) {
      session.ringing.insert(user)
      session.acceptedBy[user] = nil
      session.rejectedBy[user] = nil
      session.missedBy[user] = nil
    }
    self.session = session
  }

  /// Notes the user's answer to the ring.
  mutating func answer(_ user: UserID, accepts: Bool, at now: WallTime) {
    var session = continuedSession(at: now)
    session.ringing.remove(user)
    session.missedBy[user] = nil
    session.acceptedBy[user] = accepts ? now : nil
    session.rejectedBy[user] = accepts ? nil : now
    self.session = session
  }

  /// Marks those `users` who have still not answered that session's ring as having missed it.
  mutating func miss(_ users: Set<UserID>, of sessionID: String, at now: WallTime) {
    guard var session = liveSession, session.id == sessionID else { return }
    miss(users.intersection(session.ringing), in: &session, at: now)
    self.session = session
  }

  private func miss(_ users: Set<UserID>, in session: inout StreamCallSession, at now: WallTime) {
    session.ringing.subtract(users)
    for user in users { session.missedBy[user] = now }
  }

  /// Returns the current session, or a new one.
  mutating func continuedSession(at now: WallTime) -> StreamCallSession {
    if let liveSession { return liveSession }
    sessionCount += 1
    return StreamCallSession(id: StreamIdentifier.text(now, sessionCount))
  }
}
