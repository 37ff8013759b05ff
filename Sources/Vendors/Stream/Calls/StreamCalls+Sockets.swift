internal import GatewayCore

// What the sockets of the SFU's are told of calls, and when they go.

extension StreamCalls {
  /// Begins to take sockets of those out of the call who take part in it no more, and returns at once. Nobody has any where
  /// the SFU is elsewhere. They are told `event` first; nothing if their clients know.
  func letGo(_ participants: [StreamCallParticipant], of call: CallID, _ event: StreamSignalEvent?) {
    guard let sfu, !participants.isEmpty else { return }
    Task.immediate(executorPreference: sfu.executor) {
      await takeOut(participants, of: call, event, farewell: sfu.policy.farewell)
    }
  }

  /// Says `event` to the participants' sockets, which hear no more of the call then, and closes those that stay.
  private func takeOut(
    _ participants: [StreamCallParticipant], of call: CallID, _ event: StreamSignalEvent?, farewell: Duration
  ) async {
    for participant in participants {
      guard let connection = participant.connection else { continue }
      if let event { await signal(event, to: .connection(connection)) }
      await services.unwatch(call, by: connection)
    }
    await services.sleep(for: farewell, as: "participants who are taken out of a call")
    for participant in participants {
      guard let connection = participant.connection,
        // Where the store is away the socket goes: its client comes back if it still has a call.
        (try? await directory.calls(joinedBy: participant.user, on: connection, at: services.wallTime))?.isEmpty ?? true
      else { continue }
      _ = await services.control(
        SessionFilter(user: participant.user, connections: [connection]), .disconnect(.normal))
    }
  }

  /// Says something to sockets of the SFU.
  func signal(_ event: StreamSignalEvent, to audience: Audience) async {
    let frames = services.frames { dialect in
      (dialect as? StreamSFUDialect).map { event.frame($0.format) }
    }
    services.announce(Announcement(to: audience, frames))
  }
}
