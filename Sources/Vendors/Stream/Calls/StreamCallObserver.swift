internal import GatewayCore

/// An observer that removes users from their calls when the connection ends by which they take part, and notes when
/// guests disconnected.
struct StreamCallObserver: ConnectionObserver {
  private let users: StreamDirectory
  private let calls: StreamCallDirectory
  private let policy: StreamCallPolicy
  private let keeper: StreamGuestKeeper

  init(
    users: StreamDirectory, calls: StreamCallDirectory, policy: StreamCallPolicy,
    guests keeper: StreamGuestKeeper
  ) {
    self.keeper = keeper
    self.users = users
    self.calls = calls
    self.policy = policy
  }

  var hearsBeginnings: Bool { true }

  func connectionBegan(_ caller: Caller, on services: any GatewayServices) async {
    await StreamUserEvent.tellPresence(of: caller, isOnline: true, on: services, users, calls)
  }

  func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    // Anonymous sockets belong to Chat, which has no calls; all of them share one user id.
    guard caller.kind != .anonymous else { return }
    if caller.kind == .guest { await keeper.saw(caller.user, at: services.wallTime) }
    await keeper.sweep(on: services)
    let told = StreamCalls(services: services, users: users, directory: calls, policy: policy)
    await told.leave(caller.user, caller.connection)
    // A user who joined without naming a connection stays until the last connection ends.
    guard await !services.isConnected(caller.user) else { return }
    await told.leave(caller.user, nil)
    await StreamUserEvent.tellPresence(of: caller, isOnline: false, on: services, users, calls)
  }
}
