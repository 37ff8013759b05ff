internal import GatewayCore

/// The observer that lets who joined over REST, ann for instance, take part in the call once a socket has brought the
/// join's token, until the socket ends.
struct StreamSFUSockets: ConnectionObserver, CommandHandler {
  let users: StreamDirectory
  let directory: StreamCallDirectory
  let policy: StreamCallPolicy
  let sfu: StreamSFU

  var hearsBeginnings: Bool { true }

  private func calls(_ services: any GatewayServices) -> StreamCalls {
    StreamCalls(services: services, users: users, directory: directory, policy: policy, sfu: sfu)
  }

  // MARK: Coming

  func connectionBegan(_ caller: Caller, on services: any GatewayServices) async {
    guard let entry = StreamCallEntry(caller) else { return }
    await StreamUserEvent.tellPresence(of: caller, isOnline: true, on: services, users, directory)
    let calls = calls(services)
    do throws(GatewayError) {
      let change = try await enter(entry, calls)
      // A connection that has ended meanwhile was taken out of its calls before it was in this one.
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

  /// Sends the JoinResponse, and tells after it of those who came or went while it was made up: what the socket was told
  /// of them before it, clients do not heed.
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

  /// Takes the sockets out of the call that this one takes the place of.
  private func letGo(_ entry: StreamCallEntry, _ change: StreamCallChange, _ calls: StreamCalls) {
    let replaced = (change.before.liveSession?.participants ?? []).filter { participant in
      participant.user == entry.user && participant.connection != entry.connection
        && [entry.sessionID, entry.previousSessionID].contains(participant.sessionID)
    }
    let event = entry.strategy == .migrate ? StreamSignalEvent.participantMigrationComplete : nil
    calls.letGo(replaced, of: entry.call, event)
  }

  private func refuse(_ error: GatewayError, _ entry: StreamCallEntry, _ calls: StreamCalls) async {
    // A table of the gateway's that is full is a full SFU.
    let refusal =
      error.isSame(as: .tooMany) ? StreamSignalError(.sfuFull, error.message, .rejoin) : StreamSignalError(error)
    await calls.signal(.error(refusal), to: .connection(entry.connection))
    let reason = refusal.strategy == .disconnect ? CloseReason.invalidToken : .disconnected
    _ = await calls.services.control(
      SessionFilter(user: entry.user, connections: [entry.connection]), .disconnect(reason))
  }

  // MARK: Going

  func connectionEnded(_ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices) async {
    await StreamUserEvent.tellPresence(of: caller, isOnline: false, on: services, users, directory)
    if ending.mayReturn { await services.sleep(for: sfu.policy.returnWindow, as: "a participant who may come back") }
    await calls(services).leave(caller.user, caller.connection)
  }

  // MARK: Signs of life

  /// Answers a HealthCheckRequest with how many are in the call.
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
  /// Whether the client is expected to come back with the session it had. JavaScript closes with 4001 after 10 s of
  /// silence and with 4100 when another socket takes the place of this one; with 1000 when it has left.
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

  /// The participant as the SFU shows them.
  func signal(_ participant: StreamCallParticipant) -> StreamSignalParticipant {
    let user = user(participant.user)
    return StreamSignalParticipant(
      userID: user.id, sessionID: participant.sessionID, joinedAt: participant.joinedAt, name: user.name ?? "",
      image: user.image ?? "", role: participant.role.text)
  }
}
