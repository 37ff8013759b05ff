package import GatewayCore

/// Stream's users in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, as ``MemoryDirectory`` does.
package actor MemoryStreamDirectory: StreamDirectory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let usersMax: Int
  private var known: [UserID: StreamUser] = [:]
  private var appSettings: StreamAppSettings

  /// An empty directory with room for `usersMax` users.
  package init(
    on executor: any SerialExecutor, usersMax: Int = 1_000_000, settings: StreamAppSettings = StreamAppSettings()
  ) {
    self.executor = executor
    self.usersMax = usersMax
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
    known[id] = user
    return user
  }

  package func removeUser(_ id: UserID) {
    known[id] = nil
  }

  package func settings() -> StreamAppSettings {
    appSettings
  }

  package func updateSettings(_ change: @escaping @Sendable (inout StreamAppSettings) -> Void) -> StreamAppSettings {
    change(&appSettings)
    return appSettings
  }
}
