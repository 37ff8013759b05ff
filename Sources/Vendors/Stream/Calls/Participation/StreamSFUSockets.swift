internal import GatewayCore

/// An observer that lets users who joined over REST take part in the call while they have a socket.
///
/// A participation begins when a socket presents the join's token, and ends with that socket.
struct StreamSFUSockets: ConnectionObserver, CommandHandler {
  let users: StreamDirectory
  let directory: StreamCallDirectory
  let policy: StreamCallPolicy
  let sfu: StreamSFU

  var hearsBeginnings: Bool { true }

  private func calls(_ services: any GatewayServices) -> StreamCalls {
    StreamCalls(services: services, users: users, directory: directory, policy: policy, sfu: sfu)
  }

  // MARK: Beginning

  func connectionBegan(_ caller: Caller, on services: any GatewayServices) async {
    guard let entry = StreamCallEntry(caller) else { return }
    await StreamUserEvent.tellPresence(of: caller, isOnline: true, on: services, users, directory)
    let calls = calls(services)
    do throws(GatewayError) {
      let change = try await enter(entry, calls)
      // A connection that has ended by now was removed from its calls before this call was one of them.
      guard await services.user(of: entry.connection) == entry.user,
        await services.watch(entry.call, by: entry.connection)
      else { return await calls.leave(entry.user, entry.connection) }
      try await answer(entry, isReturn: change.before.participant(entry.sessionID) != nil, calls)
      letGo(entry, change, calls)
    } catch {
      await refuse(error, entry, calls)
    }
  }

  private func enter(_ entry: StreamCallEntry, _ calls: StreamCalls) async throws(GatewayError) -> StreamCallChange {
    let now = calls.services.wallTime
    let nobody = StreamUser(.anonymous, role: StreamRole.anonymous.name, createdAt: now)
    let known = try await users.users([entry.user], at: now).first
    guard let user = entry.user == .anonymous ? nobody : known else { throw .userUnknown }
    let rights = StreamCallRights(user: user.id, role: user.role, callRole: entry.callRole)
    return try await calls.changeInTurn(entry.call, by: user.id, at: now) { (call) throws(GatewayError) in
      if call.participant(entry.sessionID) == nil { try rights.admit(user, into: call, at: now) }
      try call.enter(entry, role: call.members[user.id]?.role ?? user.role, at: now)
    }
  }

  /// Sends the JoinResponse, and after it the events that happened while it was prepared: clients ignore events that
  /// come before it.
  private func answer(
    _ entry: StreamCallEntry, isReturn: Bool, _ calls: StreamCalls
  ) async throws(GatewayError) {
    guard let call = try await directory.call(entry.call, at: calls.services.wallTime), let session = call.liveSession
    else { return }
    let state = try await calls.draw(call, with: StreamCallPicture.usersShown(in: call)).signalState(of: session)
    let response = StreamSignalEvent.joinResponse(
      state, isReconnected: isReturn, returnWindow: sfu.policy.returnWindow)
    await calls.signal(response, to: .connection(entry.connection))
    guard let later = try await directory.call(entry.call, at: calls.services.wallTime) else { return }
    let moves = StreamCallChange.moves(call.present, later.present)
    let (left, joined) = (moves.left.filter { $0.user != .anonymous }, moves.joined.filter { $0.user != .anonymous })
    guard !left.isEmpty || !joined.isEmpty else { return }
    let picture = try await calls.draw(later, with: Set((left + joined).map(\.user)))
    let events =
      left.map { StreamSignalEvent.participantLeft(call.id, picture.signal($0)) }
      + joined.map { StreamSignalEvent.participantJoined(call.id, picture.signal($0)) }
    for event in events { await calls.signal(event, to: .connection(entry.connection)) }
  }

  /// Removes from the call the sockets that this one replaces.
  private func letGo(_ entry: StreamCallEntry, _ change: StreamCallChange, _ calls: StreamCalls) {
    let replaced = (change.before.liveSession?.participants ?? []).filter { participant in
      participant.user == entry.user && participant.connection != entry.connection
        && [entry.sessionID, entry.previousSessionID].contains(participant.sessionID)
    }
    let event = entry.strategy == .migrate ? StreamSignalEvent.participantMigrationComplete : nil
    calls.letGo(replaced, of: entry.call, event)
  }

  private func refuse(_ error: GatewayError, _ entry: StreamCallEntry, _ calls: StreamCalls) async {
    // If a table of the gateway is full, the SFU is full.
    let refusal =
      error.isSame(as: .tooMany) ? StreamSignalError(.sfuFull, error.message, .rejoin) : StreamSignalError(error)
    await calls.signal(.error(refusal), to: .connection(entry.connection))
    let reason = refusal.strategy == .disconnect ? CloseReason.invalidToken : .disconnected
    _ = await calls.services.control(
      SessionFilter(user: entry.user, connections: [entry.connection]), .disconnect(reason))
  }

  // MARK: Ending

  func connectionEnded(_ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices) async {
    await StreamUserEvent.tellPresence(of: caller, isOnline: false, on: services, users, directory)
    if ending.mayReturn { await services.sleep(for: sfu.policy.returnWindow, as: "a participant who may come back") }
    await calls(services).leave(caller.user, caller.connection)
  }

  // MARK: Health checks

  /// Answers a HealthCheckRequest with the number of participants.
  func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    guard let entry = StreamCallEntry(caller) else { return [] }
    let session = (try? await directory.call(entry.call, at: services.wallTime))?.liveSession
    await calls(services).signal(.healthCheckResponse(session?.count), to: .connection(caller.connection))
    return []
  }
}

extension ConnectionEnding {
  /// Whether the client is expected to return with the same session. JavaScript closes with 4001 after 10 s of silence,
  /// with 4100 when another socket replaces this one, and with 1000 when the user has left.
  fileprivate var mayReturn: Bool {
    switch self {
    case .lost, .peerClosed(4001), .peerClosed(4100): true
    case .closed(let reason): reason.mayReconnect && reason != .livenessTimeout
    case .loggedOut, .peerClosed: false
    }
  }
}

extension StreamCallPicture {
  fileprivate func signalState(of session: StreamCallSession) -> StreamSignalState {
    StreamSignalState(
      participants: session.shown.map { signal($0) }, startedAt: session.startedAt, count: session.count,
      pins: session.pins ?? [])
  }

  /// Returns the participant in the SFU's form.
  func signal(_ participant: StreamCallParticipant) -> StreamSignalParticipant {
    let user = user(participant.user)
    return StreamSignalParticipant(
      userID: user.id, sessionID: participant.sessionID, joinedAt: participant.joinedAt, name: user.name ?? "",
      image: user.image ?? "", role: participant.role.text)
  }
}
