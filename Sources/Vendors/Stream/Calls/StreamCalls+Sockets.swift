internal import GatewayCore

// Events for SFU sockets, and when these sockets are closed.

extension StreamCalls {
  /// Starts to remove the sockets of former participants, and returns at once. Without the gateway's own SFU there are
  /// none. The sockets receive `event` first; nothing if their clients know already.
  func letGo(_ participants: [StreamCallParticipant], of call: CallID, _ event: StreamSignalEvent?) {
    guard let sfu, !participants.isEmpty else { return }
    Task.immediate(executorPreference: sfu.executor) {
      await takeOut(participants, of: call, event, farewell: sfu.policy.farewell)
    }
  }

  /// Sends `event` to the participants' sockets, unsubscribes them from the call, and closes the ones that stay open.
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
        // If the store is unavailable the socket is closed: its client returns if it still has a call.
        (try? await directory.calls(joinedBy: participant.user, on: connection, at: services.wallTime))?.isEmpty ?? true
      else { continue }
      _ = await services.control(
        SessionFilter(user: participant.user, connections: [connection]), .disconnect(.normal))
    }
  }

  /// Sends an event to SFU sockets.
  func signal(_ event: StreamSignalEvent, to audience: Audience) async {
    let frames = services.frames { dialect in
      (dialect as? StreamSFUDialect).map { event.frame($0.format) }
    }
    services.announce(Announcement(to: audience, frames))
  }
}
