internal import GatewayCore

/// A participation that an SFU socket asks for.
struct StreamCallEntry: Hashable, Sendable {
  let call: CallID
  let user: UserID
  let connection: ConnectionID
  /// The client's name for the participation.
  let sessionID: String
  /// The user's participation that this one replaces.
  let previousSessionID: String?
  let strategy: StreamReconnectStrategy
  /// The role from the user's call token.
  let callRole: Name?

  /// Fails for a connection that is not an SFU socket.
  init?(_ caller: Caller) {
    guard let place = caller.notes?.unpacked(StreamSFUPlace.self) else { return nil }
    call = place.call
    user = caller.user
    connection = caller.connection
    sessionID = place.entry.sessionID
    previousSessionID = place.entry.previousSessionID
    strategy = place.entry.strategy
    callRole = place.role.map { Name($0) }
  }
}

extension StreamCall {
  /// Returns the participant with that name in the current session.
  func participant(_ sessionID: String) -> StreamCallParticipant? {
    liveSession?.participants.first { $0.sessionID == sessionID }
  }

  /// Adds the user to the session, and starts it for the first user. A session with the same name continues on the new
  /// socket; the session that this one replaces ends.
  mutating func enter(_ entry: StreamCallEntry, role: Name, at now: WallTime) throws(GatewayError) {
    var session = continuedSession(at: now)
    if let index = session.participants.firstIndex(where: { $0.sessionID == entry.sessionID }) {
      guard session.participants[index].user == entry.user else {
        throw .invalidParameter.worded("session_id is another participant's")
      }
      session.participants[index].connection = entry.connection
    } else {
      session.joinCount += 1
      session.participants.append(
        StreamCallParticipant(
          user: entry.user, role: role, connection: entry.connection, sessionID: entry.sessionID, joinedAt: now))
    }
    if let previous = entry.previousSessionID, previous != entry.sessionID {
      session.participants.removeAll { $0.sessionID == previous && $0.user == entry.user }
    }
    begin(&session, with: entry.user, at: now)
    self.session = session
  }
}

extension StreamCall {
  /// Removes the participants who may not be in a call that is backstage.
  mutating func leaveBackstageToHosts(at now: WallTime) {
    let call = self
    leave(at: now) { participant in
      let role = participant.user == .anonymous ? StreamRole.anonymous.name : participant.role
      let rights = StreamCallRights(user: participant.user, role: role)
      return !rights.mayBeBackstage(in: call)
    }
  }
}

extension StreamCallSession {
  var count: StreamSignalCount {
    StreamSignalCount(total: participants.count, anonymous: participants.count { $0.user == .anonymous })
  }
}

extension StreamCallRights {
  /// Throws unless the user may enter the call now.
  func admit(_ user: StreamUser, into call: StreamCall, at now: WallTime) throws(GatewayError) {
    if let most = fullness(of: call, for: user) {
      throw .notPermitted.worded("the call has its \(most) participants already").because(StreamSignalError.callFull)
    }
    do throws(StreamError) {
      try checkJoin(call, user, at: now)
    } catch {
      throw error.gatewayError
    }
  }
}
