package import GatewayCore

/// Stream's users in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, so that in a simulated world its answers come in the same order every time.
package actor MemoryStreamDirectory: StreamDirectory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let usersMax: Int
  private let bytesMax: Int
  /// What all users take together.
  private var bytes = 0
  private var known: [UserID: StreamUser] = [:]
  private var appSettings: StreamAppSettings

  /// The role of those whom anybody may make: a quarter of the room is kept for the others.
  private static let guest = Name(UserKind.guest.rawValue)

  /// An empty directory with room for `usersMax` users of `bytesMax` bytes together.
  package init(
    on executor: any SerialExecutor, usersMax: Int = 1_000_000, bytesMax: Int = 256 << 20,
    settings: StreamAppSettings = StreamAppSettings()
  ) {
    self.executor = executor
    self.usersMax = usersMax
    self.bytesMax = bytesMax
    appSettings = settings
  }

  package func lookUp(_ id: UserID) -> (user: StreamUser?, settings: StreamAppSettings) {
    (known[id], appSettings)
  }

  package func users(_ ids: [UserID]) -> [StreamUser] {
    ids.compactMap { known[$0] }
  }

  package func users(where isMeant: @escaping @Sendable (StreamUser) -> Bool, offset: Int, limit: Int) -> [StreamUser] {
    let meant = known.values.filter(isMeant).sorted { $0.id < $1.id }
    return Array(meant.dropFirst(offset).prefix(limit))
  }

  package func updateUser(
    _ id: UserID, creates: Bool, at now: WallTime, _ change: @escaping Change
  ) throws(GatewayError) -> StreamUser {
    let before = known[id]
    if before == nil {
      guard creates else { throw .userUnknown.detailed("\(id)") }
      guard known.count < usersMax else { throw .tooMany.detailed("\(usersMax) users") }
    }
    var user = before ?? StreamUser(id, createdAt: now)
    try change(&user, appSettings)
    if var before {
      before.lastActive = user.lastActive
      if before != user { user.updatedAt = now }
    }
    // Refuses only what grows: a table that is full can still be emptied.
    let more = user.footprint - (before?.footprint ?? 0)
    let room = user.role == Self.guest ? bytesMax / 4 * 3 : bytesMax
    guard more <= 0 || bytes + more <= room else { throw .tooMany.detailed("\(room) bytes of all users") }
    bytes += more
    known[id] = user
    return user
  }

  package func removeUser(_ id: UserID) {
    guard let user = known.removeValue(forKey: id) else { return }
    bytes -= user.footprint
  }

  package func settings() -> StreamAppSettings {
    appSettings
  }

  package func updateSettings(_ change: @escaping @Sendable (inout StreamAppSettings) -> Void) -> StreamAppSettings {
    change(&appSettings)
    return appSettings
  }
}
