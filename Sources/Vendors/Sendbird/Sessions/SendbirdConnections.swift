internal import GatewayCore

/// The observer that takes a connection that is gone out of the sessions, ann's last one for instance, then tells
/// whoever else wants to know.
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
