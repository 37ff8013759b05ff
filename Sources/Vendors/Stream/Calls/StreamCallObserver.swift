package import GatewayCore

/// Takes users out of the calls they are in when the connection ends by which they are there, and notes when guests
/// went.
package struct StreamCallObserver: ConnectionObserver {
  private let users: any StreamDirectory
  private let calls: any StreamCallDirectory
  private let policy: StreamCallPolicy
  private let keeper: StreamGuestKeeper

  package init(
    users: any StreamDirectory, calls: any StreamCallDirectory, policy: StreamCallPolicy,
    guests keeper: StreamGuestKeeper
  ) {
    self.keeper = keeper
    self.users = users
    self.calls = calls
    self.policy = policy
  }

  package func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    // Anonymous sockets are Chat's, which has no calls; and all of them are of one name.
    guard caller.kind != .anonymous else { return }
    if caller.kind == .guest { await keeper.saw(caller.user, at: services.wallTime) }
    await keeper.sweep(on: services)
    await leave(caller.user, caller.connection, services)
    // Who joined without naming a connection is there as long as there is any.
    if await !services.isConnected(caller.user) { await leave(caller.user, nil, services) }
  }

  private func leave(_ user: UserID, _ connection: ConnectionID?, _ services: any GatewayServices) async {
    let calls = StreamCalls(services: services, users: users, directory: calls, policy: policy)
    let now = services.wallTime
    for call in await calls.directory.calls(joinedBy: user, on: connection) {
      // A call that was deleted meanwhile has nobody in it.
      _ = try? await calls.change(call, by: user, at: now) { call in
        call.leave(at: now) { $0.user == user && $0.connection == connection }
      }
    }
  }
}
