package import GatewayCore

/// Takes users out of the calls they are in when the connection ends by which they are there, and notes when guests
/// went.
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
    await tellPresence(of: caller, isOnline: true, on: services)
  }

  /// Tells those who have asked for the user's presence.
  private func tellPresence(of caller: Caller, isOnline: Bool, on services: any GatewayServices) async {
    guard caller.kind != .anonymous, let topic = StreamUserEvent.topic(of: caller.user),
      await !services.audience(of: topic).isEmpty,
      var user = try? await users.users([caller.user], at: services.wallTime).first
    else { return }
    user.isOnline = isOnline
    await StreamUserEvent(kind: .presenceChanged, user: user, at: services.wallTime).tell(on: services, calls)
  }

  package func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async {
    // Anonymous sockets are Chat's, which has no calls; and all of them are of one name.
    guard caller.kind != .anonymous else { return }
    if caller.kind == .guest { await keeper.saw(caller.user, at: services.wallTime) }
    await keeper.sweep(on: services)
    let calls = StreamCalls(services: services, users: users, directory: calls, policy: policy)
    await calls.leave(caller.user, caller.connection)
    // Who joined without naming a connection is there as long as there is any.
    guard await !services.isConnected(caller.user) else { return }
    await calls.leave(caller.user, nil)
    await tellPresence(of: caller, isOnline: false, on: services)
  }
}
