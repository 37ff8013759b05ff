internal import GatewayCore

// The receivers of a user's events.

extension StreamUserEvent {
  /// The product whose hooks get the events of users.
  private static let product = "chat"

  /// Announces to the watchers of the caller's presence that the caller's first connection has begun or the last one
  /// ended; sends nothing while the user has other connections.
  static func tellPresence(
    of caller: Caller, isOnline: Bool, on services: any GatewayServices, _ users: StreamDirectory,
    _ calls: StreamCallDirectory
  ) async {
    guard caller.kind != .anonymous, let topic = topic(of: caller.user) else { return }
    let isHooked = users.webhooks?.wants(Kind.presenceChanged.rawValue, of: product) ?? false
    let isWatched = isHooked ? true : await !services.audience(of: topic).isEmpty
    guard isWatched,
      var user = try? await users.users([caller.user], at: services.wallTime).first,
      await isOnline == services.isConnected(caller.user)
    else { return }
    user.isOnline = isOnline
    await StreamUserEvent(kind: .presenceChanged, user: user, at: services.wallTime)
      .tell(on: services, calls, users.webhooks)
  }

  /// Sends the event to the user's connections, to the watchers of the user's presence, and to the watchers of a call
  /// with the user. If the store is unavailable the last are left out.
  func tell(on services: any GatewayServices, _ calls: StreamCallDirectory, _ webhooks: StreamWebhooks?) async {
    webhooks?.post(kind.rawValue, of: Self.product, about: user.id.rawValue) { frame(.chat).payload }
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
