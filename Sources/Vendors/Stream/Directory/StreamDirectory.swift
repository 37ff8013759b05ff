package import GatewayCore

/// The users of Stream Video and Chat, and the settings of their application.
///
/// Obligations of every implementation are those of ``Directory``; a change is made whole or not at all, and may be
/// computed more than once.
package protocol StreamDirectory: Sendable {
  /// What to make of a user, given the application's settings; what it throws leaves the user as they were.
  typealias Change = @Sendable (inout StreamUser, StreamAppSettings) throws(GatewayError) -> Void

  /// The user, nil if there is none, and the application's settings.
  func lookUp(_ id: UserID) async -> (user: StreamUser?, settings: StreamAppSettings)

  /// Those of `ids` that exist, in that order.
  func users(_ ids: [UserID]) async -> [StreamUser]

  /// At most `limit` users for whom `isMeant` holds, in the order of their ids, without the first `offset`.
  func users(
    where isMeant: @escaping @Sendable (StreamUser) -> Bool, offset: Int, limit: Int
  ) async -> [StreamUser]

  /// The user after `change`. One who does not exist is made first if `creates`, else ``GatewayError/userUnknown`` is
  /// thrown. `updatedAt` becomes `now` if the change changes more than when the user was last active.
  func updateUser(
    _ id: UserID, creates: Bool, at now: WallTime, _ change: @escaping Change
  ) async throws(GatewayError) -> StreamUser

  /// Forgets the user; nothing happens if there is none.
  func removeUser(_ id: UserID) async

  func settings() async -> StreamAppSettings

  /// The settings after `change`.
  func updateSettings(_ change: @escaping @Sendable (inout StreamAppSettings) -> Void) async -> StreamAppSettings
}
