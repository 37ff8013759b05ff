internal import GatewayCore

// The user directory with Sendbird's errors.

extension SendbirdDirectory {
  /// Returns the user with that id; nil if there is none.
  func find(_ id: UserID, at now: WallTime) async throws(SendbirdError) -> SendbirdUser? {
    do throws(GatewayError) { return try await user(id, at: now) } catch { throw SendbirdError(error) }
  }

  /// Returns the users that exist, by their ids.
  func find(_ ids: Set<UserID>, at now: WallTime) async throws(SendbirdError) -> [UserID: SendbirdUser] {
    do throws(GatewayError) { return try await users(ids, at: now) } catch { throw SendbirdError(error) }
  }
}
