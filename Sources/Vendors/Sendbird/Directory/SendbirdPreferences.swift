internal import GatewayCore
internal import GatewayKit

/// The directory of users' preferences. A user who has set nothing has no row.
///
/// Each operation is atomic; a full table throws `GatewayError.tooMany`, an unavailable store
/// `GatewayError.storeUnavailable`.
struct SendbirdPreferences: Sendable {
  private typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  private static let table = StoreTable<SendbirdPreference>("sendbird.preference")

  private let store: any Store
  private let max: Int

  /// Creates a directory in `store`, with room for `max` users who have set something.
  init(_ store: any Store, max: Int = 100_000) {
    self.store = store
    self.max = max
  }

  func preference(of user: UserID, at now: WallTime) async throws(GatewayError) -> SendbirdPreference {
    do throws(StoreError) {
      return try await store.get(Self.table.key(user.rawValue), as: SendbirdPreference.self, at: now)
        ?? SendbirdPreference()
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns those users who want to be asked before they join a channel.
  func wantingToBeAsked(
    _ users: [UserID], at now: WallTime
  ) async throws(GatewayError) -> Set<UserID> {
    do throws(StoreError) {
      var asked: Set<UserID> = []
      let found = try await store.read(users.map { Self.table.key($0.rawValue) }, at: now)
      for (user, entry) in zip(users, found) {
        if try entry?.value(as: SendbirdPreference.self).joinsAtOnce == false { asked.insert(user) }
      }
      return asked
    } catch {
      throw GatewayError(error)
    }
  }

  /// Changes a user's preferences and returns them.
  func update(
    _ user: UserID, at now: WallTime, _ change: (inout SendbirdPreference) -> Void
  ) async throws(GatewayError) -> SendbirdPreference {
    do throws(StoreOr<GatewayError>) {
      return try await store.transact(at: now) {
        (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> SendbirdPreference in
        let key = Self.table.key(user.rawValue)
        var preference = try await transaction.get(key, as: SendbirdPreference.self) ?? SendbirdPreference()
        change(&preference)
        let count = StoreCount("sendbird.preferences", atMost: max, of: "users' preferences")
        if preference == SendbirdPreference() {
          transaction.delete(key)
        } else {
          transaction.put(key, preference, in: [count])
        }
        return preference
      }
    } catch {
      throw error.failure
    }
  }

  /// Deletes a user's preferences.
  func forget(_ user: UserID, at now: WallTime) async throws(GatewayError) {
    _ = try await update(user, at: now) { $0 = SendbirdPreference() }
  }
}
