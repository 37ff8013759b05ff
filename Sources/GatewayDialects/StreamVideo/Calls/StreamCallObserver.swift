package import GatewayCore

/// Takes users out of the calls they are in when the connection ends by which they are there.
package struct StreamCallObserver: ConnectionObserver {
  private let calls: StreamCalls

  package init(_ calls: StreamCalls) {
    self.calls = calls
  }

  package func connectionEnded(_ caller: Caller, on services: any GatewayServices) async {
    await leave(caller.user, caller.connection, at: services.wallTime)
    // Who joined without naming a connection is there as long as there is any.
    if await !services.isConnected(caller.user) { await leave(caller.user, nil, at: services.wallTime) }
  }

  private func leave(_ user: UserID, _ connection: ConnectionID?, at now: WallTime) async {
    for call in await calls.directory.calls(joinedBy: user, on: connection) {
      // A call that was deleted meanwhile has nobody in it.
      _ = try? await calls.change(call, by: user, at: now) { call in
        call.leave(at: now) { $0.user == user && $0.connection == connection }
      }
    }
  }
}
