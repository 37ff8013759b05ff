package import GatewayCore

/// The observer that takes users out of the calls they are in when the connection ends by which they are there, ann's
/// when her browser closes for instance, and notes when guests went.
package struct StreamCallObserver: ConnectionObserver {
  private let users: StreamDirectory
  private let calls: StreamCallDirectory
  private let policy: StreamCallPolicy
  private let keeper: StreamGuestKeeper

  package init(
    users: StreamDirectory, calls: StreamCallDirectory, policy: StreamCallPolicy,
    guests keeper: StreamGuestKeeper
  ) {
    self.keeper = keeper
    self.users = users
    self.calls = calls
    self.policy = policy
  }

  package var hearsBeginnings: Bool { true }

  package func connectionBegan(_ caller: Caller, on services: any GatewayServices) async {
    await StreamUserEvent.tellPresence(of: caller, isOnline: true, on: services, users, calls)
  }

  package func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    // Anonymous sockets are Chat's, which has no calls; and all of them are of one name.
    guard caller.kind != .anonymous else { return }
    if caller.kind == .guest { await keeper.saw(caller.user, at: services.wallTime) }
    await keeper.sweep(on: services)
    let told = StreamCalls(services: services, users: users, directory: calls, policy: policy)
    await told.leave(caller.user, caller.connection)
    // Who joined without naming a connection is there as long as there is any.
    guard await !services.isConnected(caller.user) else { return }
    await told.leave(caller.user, nil)
    await StreamUserEvent.tellPresence(of: caller, isOnline: false, on: services, users, calls)
  }
}
