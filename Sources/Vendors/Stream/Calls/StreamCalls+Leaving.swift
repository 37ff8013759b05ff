internal import GatewayCore
internal import GatewayKit

// Removing users from calls when their connections end.

extension StreamCalls {
  /// Takes the user's participations by that connection (without a connection if nil) out of all calls. If the store is
  /// unavailable, this waits for it: no other code does this later.
  func leave(_ user: UserID, _ connection: ConnectionID?) async {
    await services.insist { () async throws(GatewayError) in
      let now = services.wallTime
      for call in try await directory.calls(joinedBy: user, on: connection, at: now) {
        try await leave(call, by: user, at: now) { $0.user == user && $0.connection == connection }
      }
    }
  }

  /// Ends all participations by connections of `dead` lives. An anonymous user without a connection stays: such a user
  /// leaves by a timeout.
  func endLeftovers(of dead: DeadBoots, at now: WallTime) async throws(GatewayError) {
    for call in try await directory.callsJoined(at: now) {
      try await leave(call, by: nil, at: now) {
        dead.contains($0.connection) && ($0.user != .anonymous || $0.connection != nil)
      }
    }
  }

  private func leave(
    _ call: CallID, by user: UserID?, at now: WallTime, where isLeaving: (StreamCallParticipant) -> Bool
  ) async throws(GatewayError) {
    do throws(GatewayError) {
      _ = try await changeInTurn(call, by: user, at: now) { $0.leave(at: now, where: isLeaving) }
    } catch {
      // A call that has been deleted by now has no participants.
      if error.isSame(as: .storeUnavailable) { throw error }
    }
  }
}
