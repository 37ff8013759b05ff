internal import GatewayCore
internal import GatewayKit

/// A scheduled check whether a guest has been connected recently. Its key begins with the time since which the guest is
/// not known to have been connected, so that the longest idle guests come first.
private struct StreamGuestLook: StoreValue {
  var user: UserID
  var since: WallTime
}

extension StreamDirectory {
  private static let looks = StoreTable<StreamGuestLook>("stream.guest")

  /// Schedules a check of the guest who may be idle since `time`. A guest who was removed and created again has two
  /// checks; a client that does this all the time gets an error when there are too many.
  func look(at id: UserID, from time: WallTime, in transaction: inout Transaction) {
    let count = StoreCount("stream.guests", atMost: 2 * usersMax, of: "guests")
    transaction.put(Self.looks.key(time.inOrder, id.rawValue), StreamGuestLook(user: id, since: time), in: [count])
  }

  /// Removes guests who have been idle since `rest`, unless they are connected. Checks at most `limit` guests; returns
  /// how many it removed, and whether it checked all that may be idle.
  func forgetGuests(
    restingSince rest: WallTime, limit: Int, at now: WallTime, unless isHere: (UserID) async -> Bool
  ) async throws(GatewayError) -> (forgotten: Int, isDone: Bool) {
    var due: [StreamGuestLook] = []
    do throws(StoreError) {
      for entry in try await store.scan(Self.looks.range(), limit: limit, at: now) {
        let look = try entry.value(as: StreamGuestLook.self)
        if look.since < rest { due.append(look) }
      }
    } catch {
      throw GatewayError(error)
    }
    guard !due.isEmpty else { return (0, true) }
    let forgotten = try await store.transact(at: now) {
      (transaction: inout Transaction) async throws(GatewayError) -> Int in
      let keys = due.map { Self.users.key($0.user.rawValue) }
      var forgotten = 0
      for ((look, key), entry) in zip(zip(due, keys), try await transaction.read(keys)) {
        transaction.delete(Self.looks.key(look.since.inOrder, look.user.rawValue))
        guard let user = try transaction.value(entry, as: StreamUser.self), user.isGuest else { continue }
        let seen = max(user.lastActive ?? user.createdAt, user.updatedAt)
        if seen >= rest {
          self.look(at: user.id, from: seen, in: &transaction)
        } else if await isHere(user.id) {
          self.look(at: user.id, from: now, in: &transaction)
        } else {
          transaction.delete(key)
          forgotten += 1
        }
      }
      return forgotten
    }
    return (forgotten, due.count < limit)
  }
}

extension WallTime {
  /// A key part that sorts earlier times first.
  var inOrder: String {
    let digits = String(UInt64(bitPattern: max(0, nanoseconds)), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
