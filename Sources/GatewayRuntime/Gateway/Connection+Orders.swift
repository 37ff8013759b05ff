package import GatewayCore

// The orders of the gateway to one of its connections.

extension Connection {
  /// Sends an announcement, or holds it back until the connection's own command, whose own announcements have already
  /// come, is answered. Only on the loop.
  nonisolated func hear(_ frame: Frame) {
    let isHeld = onLoop { connection in
      guard let lane = connection.lane, lane.isHolding(for: connection.loginNumber) else { return false }
      if lane.keep(frame) { return true }
      for earlier in lane.letGo() { connection.deliver(earlier) }
      return false
    }
    if !isHeld { deliver(frame) }
  }

  /// From now on, holds back announcements until the answer to the command that caused the announcements to others.
  /// Only on the loop.
  nonisolated func hearOwnNews() {
    onLoop { $0.lane?.hold(for: $0.loginNumber) }
  }

  /// Sends what was encoded for many. Only on the loop.
  nonisolated func deliver(_ frame: Frame) {
    onLoop { connection in
      var effects: [SessionEffect] = []
      connection.send(frame, as: .vendor, &effects)
      // The common case leaves nothing to do; a full queue ends the session by the ordinary way.
      if !effects.isEmpty { connection.performAll(&effects) }
    }
  }

  /// An operator's event. Only on the loop.
  package nonisolated func control(_ event: SessionEvent) {
    onLoop { connection in
      if connection.table.journal != nil, let order = event.order { connection.journal(order) }
      if event == .expireNow, let token = connection.expirable {
        connection.gateway.expire(token, from: connection.table)
      }
      connection.handle(event)
    }
  }

  /// The token that would count as expired if an operator let the session expire. Nil if there is none: a session that
  /// asks for the same token again leaves it valid, and a name is no token. Only on the loop.
  nonisolated var expirable: ExpiredToken? {
    onLoop { connection in
      guard let grant = connection.standing.grant, grant.orderedRenewal != .sessionEnd,
        grant.form == .jwt || grant.form == .opaque
      else { return nil }
      let loop = connection.table.loop
      let expiry = grant.expiresAt == .distantFuture ? nil : loop.wallTime + (grant.expiresAt - loop.now)
      return ExpiredToken(grant.fingerprint, expiresAt: expiry)
    }
  }

  /// Returns whether the connection is logged in and matches the filter. Only on the loop.
  nonisolated func isTakenIn(by filter: SessionFilter) -> Bool {
    onLoop { connection in
      connection.standing.grant.map {
        filter.takesIn(connection.id, speaking: connection.dialect.name, by: $0)
      } ?? false
    }
  }

  /// A token was accepted for the session elsewhere. Only on the loop.
  package nonisolated func renew(_ token: VerifiedToken) {
    onLoop { connection in
      guard case .success(let acceptance) = connection.acceptance(.success(token)) else { return }
      connection.handle(.renewed(acceptance))
    }
  }

  /// An event that no operator orders, e.g. the application's backend ends the session. Only on the loop.
  package nonisolated func give(_ event: SessionEvent) { onLoop { $0.handle(event) } }

  /// The session's grant; nil before a login. Only on the loop.
  package nonisolated var grant: Grant? { onLoop { $0.standing.grant } }

  /// The user that is logged in. Only on the loop.
  nonisolated var user: UserID? { onLoop { $0.standing.grant?.user } }

  /// Begins to watch a call; false if it may not watch more. Only on the loop.
  package nonisolated func watch(_ call: CallID) -> Bool {
    onLoop { connection in
      guard connection.loggedInAs != nil else { return false }
      if connection.watched.contains(call) { return true }
      guard connection.watched.count < connection.table.configuration.callsPerConnectionMax else { return false }
      connection.watched.insert(call)
      connection.table.watch(call, connection.id)
      return true
    }
  }

  /// Ends the connection's announcements from a call. Only on the loop.
  package nonisolated func unwatch(_ call: CallID) {
    onLoop { connection in
      if connection.watched.remove(call) != nil { connection.table.unwatch(call, connection.id) }
    }
  }

  nonisolated func isCovered(by target: Revocations.Target) -> Bool {
    onLoop { connection in
      connection.standing.grant.map {
        target.covers(user: $0.user, fingerprint: $0.fingerprint, session: $0.session, issuedAt: $0.issuedAt)
      } ?? false
    }
  }

  /// Returns whether one of the revocations covers the token that the session lives by. Only on the loop.
  nonisolated func isCovered(by revocations: Revocations) -> Bool {
    onLoop { connection in
      connection.standing.grant.map {
        revocations.covers(user: $0.user, fingerprint: $0.fingerprint, session: $0.session, issuedAt: $0.issuedAt)
      } ?? false
    }
  }

  /// The connection in a few words, for an operator. Only on the loop.
  package nonisolated var summary: SessionSummary {
    onLoop { connection in
      let now = connection.table.loop.now
      let transport = connection.table.transport.now
      let grant = connection.standing.grant
      return SessionSummary(
        id: connection.id, dialect: connection.dialect.name, phase: connection.standing.phase.name,
        user: grant?.user, kind: grant?.kind, fingerprint: grant?.fingerprint,
        expiresIn: grant.flatMap { $0.expiresAt == .distantFuture ? nil : $0.expiresAt - now },
        deadlineIn: connection.standing.deadline == .distantFuture ? nil : connection.standing.deadline - now,
        age: transport - (connection.socket?.acceptedAt ?? transport),
        silence: transport - connection.lastHeard, calls: connection.watched.sorted { $0.cid < $1.cid },
        peer: connection.socket?.peer ?? "")
    }
  }
}
