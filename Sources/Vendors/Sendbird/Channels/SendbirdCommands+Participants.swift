internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Participants of open channels: users whose connection entered, until it leaves or ends.

extension SendbirdCommands: ConnectionObserver {
  func enter(_ running: RunningCommand) async throws(SendbirdError) -> [Frame] {
    let now = running.services.wallTime
    let found = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.outline(running.channelURL, at: now)
    }
    guard let channel = found else { throw .channelNotFound }
    guard channel.kind == .open else { throw .wrongChannelType }
    let connection = running.caller.connection
    // Subscribes before entering, so that every participant receives the channel's events.
    let call = SendbirdChannelEvents.call(channel.number)
    guard await running.services.watch(call, by: connection) else { throw .tooManyParticipants }
    let participation: SendbirdParticipation
    do {
      participation = try await ask { () throws(SendbirdChannelRefusal) in
        try await channels.enter(running.channelURL, user: running.caller.user, by: connection, at: now) {
          guard await running.services.user(of: connection) != nil else { return }
          await tell(.entered, $0, running)
        }
      }
    } catch {
      await running.services.unwatch(call, by: connection)
      throw error
    }
    // A connection that has ended by now was removed from its channels before this one.
    guard await running.services.user(of: connection) != nil else {
      await connectionEnded(running.caller, .lost, on: running.services)
      return []
    }
    return await answer("ENTR", .entered, participation, running)
  }

  func exit(_ running: RunningCommand) async throws(SendbirdError) -> [Frame] {
    let participation = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.exit(
        running.channelURL, user: running.caller.user, by: running.caller.connection, at: running.services.wallTime,
        telling: { await tell(.exited, $0, running) })
    }
    let call = SendbirdChannelEvents.call(participation.channel.number)
    await running.services.unwatch(call, by: running.caller.connection)
    return await answer("EXIT", .exited, participation, running)
  }

  /// Announces a participant who came or left.
  private func tell(
    _ category: SendbirdChannelEvents.Category, _ participation: SendbirdParticipation, _ running: RunningCommand
  ) async {
    guard participation.isChange else { return }
    await events.event(
      category, of: running.caller.user, in: participation.channel, except: running.caller.connection,
      on: running.services
    )
  }

  /// Announces it to the user's own connections too, since their count of participants would otherwise be one event
  /// behind.
  private func answer(
    _ name: StaticString, _ category: SendbirdChannelEvents.Category, _ participation: SendbirdParticipation,
    _ running: RunningCommand
  ) async -> [Frame] {
    let now = running.services.wallTime
    let (user, channel) = (running.caller.user, participation.channel)
    let event = await events.frame(category, of: user, in: channel, at: now)
    let answer = running.request.map { request in
      SendbirdFrame.command(name, request, capacity: 256) { json in
        json.member("channel_url", participation.channel.url.text)
        json.member("channel_type", participation.channel.kind.rawValue)
        json.member("participant_count", Int64(participation.channel.participantCount))
        json.member("edge_ts", now.milliseconds)
        json.member("enter_ts", now.milliseconds)
        json.member("ts", now.milliseconds)
      }
    }
    return (answer.map { [$0] } ?? []) + [event]
  }

  private func tellExit(_ participation: SendbirdParticipation, on services: any GatewayServices) async {
    guard participation.isChange else { return }
    await events.event(.exited, of: participation.user, in: participation.channel, on: services)
  }

  /// Removes an ended connection from all open channels, and notes the time as the user's last activity.
  nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    let now = services.wallTime
    await services.insist { () async throws(GatewayError) in
      try await leaving { () async throws(SendbirdChannelRefusal) in
        try await channels.exitAll(caller.user, by: caller.connection, at: services.wallTime) {
          await tellExit($0, on: services)
        }
      }
    }
    // The user may have been deleted by now. If the store is unavailable, the time is lost.
    _ = try? await directory.updateUser(caller.user, at: now) { $0.lastSeenAt = now }
  }

  /// Removes the connections of dead lives from all open channels.
  nonisolated(nonsending) func endConnections(
    of dead: DeadBoots, at now: WallTime, on services: any GatewayServices
  ) async throws(GatewayError) {
    try await leaving { () async throws(SendbirdChannelRefusal) in
      try await channels.removeDeadParticipants(of: dead, at: now) { await tellExit($0, on: services) }
    }
  }

  /// Runs work that only the store can make fail.
  private func leaving(
    _ body: nonisolated(nonsending) () async throws(SendbirdChannelRefusal) -> Void
  ) async throws(GatewayError) {
    do throws(SendbirdChannelRefusal) {
      try await body()
    } catch {
      if error == .storeUnavailable { throw .storeUnavailable }
    }
  }
}
