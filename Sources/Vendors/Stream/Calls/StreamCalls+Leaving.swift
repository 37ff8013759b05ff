internal import GatewayCore
internal import GatewayKit

// Taking users out of calls whose connections are gone.

extension StreamCalls {
  /// How long a store that is away is left alone before it is asked again.
  static let patience = Duration.seconds(1)

  /// Takes the user's participations by that connection, or without any if nil, out of all calls. Where the store is away
  /// this waits for it: nobody else will.
  func leave(_ user: UserID, _ connection: ConnectionID?) async {
    await services.insist { () async throws(GatewayError) in
      let now = services.wallTime
      for call in try await directory.calls(joinedBy: user, on: connection, at: now) {
        try await leave(call, by: user, at: now) { $0.user == user && $0.connection == connection }
      }
    }
  }

  /// Takes everybody out of the calls who took part in them by a connection of the gateway's earlier life.
  func endLeftovers(at now: WallTime) async throws(GatewayError) {
    for call in try await directory.callsJoined(at: now) {
      try await leave(call, by: nil, at: now) { $0.user != .anonymous || $0.connection != nil }
    }
  }

  private func leave(
    _ call: CallID, by user: UserID?, at now: WallTime, where isLeaving: (StreamCallParticipant) -> Bool
  ) async throws(GatewayError) {
    do throws(GatewayError) {
      _ = try await changeInTurn(call, by: user, at: now) { $0.leave(at: now, where: isLeaving) }
    } catch {
      // A call that was deleted meanwhile has nobody in it.
      if error.isSame(as: .storeUnavailable) { throw error }
    }
  }
}
