package import GatewayCore

/// The users of a Sendbird application.
///
/// Obligations of every implementation: each operation is atomic; an answer reflects every operation whose answer its
/// caller had already seen; a full table throws `GatewayError.tooMany` and loses nothing; a user's
/// ``SendbirdUser/number`` rises from one user made to the next and is never given twice.
package protocol SendbirdDirectory: Sendable {
  /// Keeps a new user, and returns it with its number. Throws `GatewayError.alreadyExists` if there is one of that id.
  func createUser(_ user: SendbirdUser) async throws(GatewayError) -> SendbirdUser

  /// The user of that id, made now if there is none: what a connection without a token does.
  func getOrCreateUser(_ id: UserID, at now: WallTime) async throws(GatewayError) -> SendbirdUser

  /// The user of that id, nil if there is none.
  func user(_ id: UserID) async -> SendbirdUser?

  /// Those of the users that exist, by their ids.
  func users(_ ids: Set<UserID>) async -> [UserID: SendbirdUser]

  /// A page of the users asked for, newest first.
  func users(_ query: SendbirdUserQuery) async -> SendbirdUserPage

  /// Changes a user in one step, and returns it as it is then. `change` may be made more than once, each time on a fresh
  /// copy; what it does to the number is undone. Throws `GatewayError.notFound` if there is no such user,
  /// `GatewayError.tooMany` if there is no room for what it has become.
  func updateUser(
    _ id: UserID, _ change: @escaping @Sendable (inout SendbirdUser) -> Void
  ) async throws(GatewayError) -> SendbirdUser

  /// Forgets a user. Throws `GatewayError.notFound` if there is none. A user of that id who is made later inherits
  /// nothing: session tokens issued before are void.
  func deleteUser(_ id: UserID) async throws(GatewayError)

  /// Whether there was a user of that id who was deleted, and none has been made since. Bounded as the users are: the
  /// oldest deletion is forgotten first.
  func wasDeleted(_ id: UserID) async -> Bool
}
