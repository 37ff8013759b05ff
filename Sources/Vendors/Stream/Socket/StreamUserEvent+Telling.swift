internal import GatewayCore

// Who hears what becomes of a user.

extension StreamUserEvent {
  /// Tells those who have asked for the caller's presence that a connection of the caller's has begun, or that the last has
  /// ended: nothing while others of the user's go on.
  static func tellPresence(
    of caller: Caller, isOnline: Bool, on services: any GatewayServices, _ users: StreamDirectory,
    _ calls: StreamCallDirectory
  ) async {
    guard caller.kind != .anonymous, let topic = topic(of: caller.user), await !services.audience(of: topic).isEmpty,
      var user = try? await users.users([caller.user], at: services.wallTime).first,
      await isOnline == services.isConnected(caller.user)
    else { return }
    user.isOnline = isOnline
    await StreamUserEvent(kind: .presenceChanged, user: user, at: services.wallTime).tell(on: services, calls)
  }

  /// Tells the user's connections, those who have asked for their presence, and those who watch a call that they are in.
  /// Where the store is away the last are not told.
  func tell(on services: any GatewayServices, _ calls: StreamCallDirectory) async {
    var hearers: Set<UserID> = [user.id]
    if let topic = Self.topic(of: user.id) { hearers.formUnion(await services.audience(of: topic)) }
    if kind != .presenceChanged {
      for call in (try? await calls.calls(joinedBy: user.id, at: at)) ?? [] {
        hearers.formUnion(await services.audience(of: call))
      }
    }
    guard hearers.count > 1 || kind != .presenceChanged else { return }
    let frames = services.frames { dialect in (dialect as? StreamDialect).map { frame($0.kind.family) } }
    services.announce(Announcement(to: .users(hearers), frames))
  }
}
