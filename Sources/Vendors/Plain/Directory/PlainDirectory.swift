package import GatewayCore
package import GatewayKit
internal import Synchronization

/// The directory of the plain dialect: guests, calls and their members, and opaque access tokens.
///
/// Each operation is atomic, and its answer reflects every operation that its caller knew to be complete. Expired
/// objects do not exist any more. A full table throws `GatewayError.tooMany` and loses nothing; an unavailable store
/// throws `GatewayError.storeUnavailable`.
package final class PlainDirectory: Sendable {
  private static let calls = StoreTable<CallRow>("plain.call")
  private static let members = StoreTable<MemberRow>("plain.member")
  private static let tokens = StoreTable<AccessTokenRecord>("plain.token")
  private static let guestNames = StoreTable<GuestNames>("plain.guests")

  private let store: any Store
  private let limits: PlainDirectoryLimits
  private let guests: Mutex<GuestSeries>

  /// Creates a directory in `store`. `generator` creates the prefix of guests' names.
  package init(
    _ store: any Store, limits: PlainDirectoryLimits = PlainDirectoryLimits(), generator: SeededGenerator
  ) {
    self.store = store
    self.limits = limits
    guests = Mutex(GuestSeries(generator: generator))
  }

  // MARK: Guests

  /// Creates a guest with a unique name derived from `wish`.
  package func makeGuest(wish: String?, at now: WallTime) async throws(GatewayError) -> UserID {
    let name = try await nextGuest(at: now)
    let tail = (wish ?? "").utf8.filter(Self.isAllowed).prefix(32)
    return UserID(tail.isEmpty ? name : "\(name)-\(String(decoding: Array(tail), as: UTF8.self))")
  }

  /// Returns a new name: a number after a prefix that only this process has. It differs from names of earlier
  /// processes' guests, whose tokens may still be valid.
  private func nextGuest(at now: WallTime) async throws(GatewayError) -> String {
    while true {
      if let name = guests.withLock({ $0.next() }) { return name }
      let prefix = guests.withLock { $0.makePrefix() }
      if try await claim(prefix, at: now) { guests.withLock { $0.prefix = prefix } }
    }
  }

  /// Reserves the prefix for this process; returns false if another has it.
  private func claim(_ prefix: String, at now: WallTime) async throws(GatewayError) -> Bool {
    typealias Transaction = StoreTransaction<StoreOr<GatewayError>>
    let key = Self.guestNames.key(prefix)
    let count = StoreCount("plain.guests", atMost: limits.guestSeries, of: "processes that made guests")
    var oldest: StoreKey?
    while true {
      let gone = oldest
      do throws(StoreOr<GatewayError>) {
        return try await store.transact(at: now) {
          (transaction: inout Transaction) async throws(StoreOr<GatewayError>) -> Bool in
          guard try await transaction.get(key, as: GuestNames.self) == nil else { return false }
          if let gone { transaction.delete(gone) }
          transaction.put(key, GuestNames(begunAt: now), in: [count])
          return true
        }
      } catch .store(.full) where gone == nil {
        let all = try await GatewayError.asking { () async throws(StoreError) in
          try await store.scan(Self.guestNames.range(), limit: .max, at: now)
        }
        oldest = all.min { $0.version < $1.version }.map { StoreKey(path: $0.path, type: GuestNames.self) }
      } catch {
        throw error.failure
      }
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }

  // MARK: Calls

  /// Returns the call, created by `user` if it did not exist.
  package func getOrCreateCall(
    _ call: CallID, by user: UserID, at now: WallTime
  ) async throws(GatewayError) -> CallRecord {
    let key = Self.calls.key(call.cid)
    let count = StoreCount("plain.calls", atMost: limits.calls, of: "calls")
    let (row, isNew) = try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> (CallRow, Bool) in
      if let row = try await transaction.get(key, as: CallRow.self) { return (row, false) }
      let row = CallRow(createdBy: user, createdAt: now)
      transaction.put(key, row, in: [count])
      return (row, true)
    }
    return try await record(call, row, isNew: isNew, at: now)
  }

  /// Returns the call; nil if it does not exist.
  package func call(_ call: CallID, at now: WallTime) async throws(GatewayError) -> CallRecord? {
    let row: CallRow?
    do throws(StoreError) {
      row = try await store.get(Self.calls.key(call.cid), as: CallRow.self, at: now)
    } catch {
      throw GatewayError(error)
    }
    guard let row else { return nil }
    return try await record(call, row, isNew: false, at: now)
  }

  /// Returns whether `user` is a member of the call; throws ``GatewayError/notFound`` if there is none.
  package func isMember(_ user: UserID, of call: CallID, at now: WallTime) async throws(GatewayError) -> Bool {
    let keys = [Self.calls.key(call.cid), Self.members.key(call.cid, user.rawValue)]
    do throws(StoreError) {
      let found = try await store.read(keys, at: now)
      if found[0] != nil { return found[1] != nil }
    } catch {
      throw GatewayError(error)
    }
    throw .notFound.detailed("there is no call \(call)")
  }

  /// Adds `user` to the members of an existing call; throws ``GatewayError/notFound`` if there is none. Does nothing
  /// for a member.
  package func join(_ call: CallID, user: UserID, at now: WallTime) async throws(GatewayError) -> CallRecord {
    let keys = [Self.calls.key(call.cid), Self.members.key(call.cid, user.rawValue)]
    let counts = [
      StoreCount("plain.members", call.cid, atMost: limits.membersOfCall, of: "members of a call"),
      StoreCount("plain.memberships", atMost: limits.memberships, of: "memberships"),
    ]
    let row = try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> CallRow in
      let found = try await transaction.read(keys)
      guard let row = try transaction.value(found[0], as: CallRow.self) else {
        throw .notFound.detailed("there is no call \(call)")
      }
      if found[1] == nil { transaction.put(keys[1], MemberRow(user: user), in: counts) }
      return row
    }
    return try await record(call, row, isNew: false, at: now)
  }

  private func record(
    _ call: CallID, _ row: CallRow, isNew: Bool, at now: WallTime
  ) async throws(GatewayError) -> CallRecord {
    var record = CallRecord(id: call, createdBy: row.createdBy, createdAt: row.createdAt, members: [], isNew: isNew)
    guard !isNew else { return record }
    do throws(StoreError) {
      // The rows are in the order of their keys. Versions increase with each commit, so they give the order of joins.
      var found = try await store.scan(Self.members.range(call.cid), limit: limits.membersOfCall, at: now)
      found.sort { $0.version < $1.version }
      record.members.reserveCapacity(found.count)
      for entry in found { record.members.append(try entry.value(as: MemberRow.self).user) }
    } catch {
      throw GatewayError(error)
    }
    return record
  }

  // MARK: Access tokens

  /// Stores the content of an opaque access token under the token's SHA-256; never the token.
  package func storeAccessToken(hash: [UInt8], _ record: AccessTokenRecord) async throws(GatewayError) {
    let count = StoreCount("plain.tokens", atMost: limits.accessTokens, of: "access tokens")
    let write = StoreCommit.Write(Self.key(ofToken: hash), record, expires: record.expiresAt, in: [count])
    do throws(StoreError) {
      _ = try await store.settle(StoreCommit(writes: [write]), at: record.issuedAt)
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the content of the token with that SHA-256; nil if it was never issued or has expired at `now`.
  package func accessToken(hash: [UInt8], at now: WallTime) async throws(GatewayError) -> AccessTokenRecord? {
    do throws(StoreError) {
      return try await store.get(Self.key(ofToken: hash), as: AccessTokenRecord.self, at: now)
    } catch {
      throw GatewayError(error)
    }
  }

  private static func key(ofToken hash: [UInt8]) -> StoreKey {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * hash.count)
    for byte in hash {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return tokens.key(String(decoding: text, as: UTF8.self))
  }
}
