internal import GatewayCore

/// An observer that removes an ended connection from the sessions, and then informs the other observers.
struct SendbirdConnections: ConnectionObserver {
  let sessions: SendbirdSessions
  let next: (any ConnectionObserver)?

  nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    await sessions.ended(caller.connection, of: caller.user)
    await next?.connectionEnded(caller, ending, on: services)
  }
}
