internal import GatewayCore

// Who hears what becomes of a user.

extension StreamUserEvent {
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
