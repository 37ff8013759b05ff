internal import GatewayCore
internal import GatewayKit

// The members of calls. Each has a row under the call, in the order in which they were added, and a row under the user.
// Every change of members also writes the call's row, so that concurrent changes conflict.

extension StreamCallDirectory {
  private static let members = StoreTable<StreamMemberRow>("stream.member")
  static let memberships = StoreTable<StreamMemberRow>("stream.membership")

  /// Returns the first members of the call in the order in which they were added, at most `limit`.
  func members(
    of call: StreamCall, first limit: Int, at now: WallTime
  ) async throws(GatewayError) -> [StreamCallMember] {
    if let all = call.members.all { return Array(all.prefix(limit)) }
    do throws(StoreError) {
      return try await store.scan(Self.members.range(call.id.cid), limit: limit, at: now).map {
        (entry) throws(StoreError) in try entry.value(as: StreamMemberRow.self).member
      }
    } catch {
      throw GatewayError(error)
    }
  }

  /// Returns the members of the call that `isMeant` selects, in the order in which they were added.
  func members(
    of call: StreamCall, at now: WallTime, where isMeant: (StreamCallMember) -> Bool
  ) async throws(GatewayError) -> [StreamCallMember] {
    try await membersPlaced(of: call, at: now, where: isMeant).map(\.member)
  }

  /// Returns the same members with their places.
  func membersPlaced(
    of call: StreamCall, at now: WallTime, where isMeant: (StreamCallMember) -> Bool
  ) async throws(GatewayError) -> [StreamCallMembers.Placed] {
    if let all = call.members.allPlaced { return all.filter { isMeant($0.member) } }
    var meant: [StreamCallMembers.Placed] = []
    try await visit(Self.members.range(call.id.cid), at: now) { (entry) throws(StoreError) in
      let placed = try entry.value(as: StreamMemberRow.self).placed
      if isMeant(placed.member) { meant.append(placed) }
    }
    return meant
  }

  /// Returns the calls that the user is a member of.
  func memberships(of user: UserID, at now: WallTime) async throws(GatewayError) -> [CallID: StreamCallMembers.Placed] {
    var memberships: [CallID: StreamCallMembers.Placed] = [:]
    try await visit(Self.memberships.range(user.rawValue), at: now) { (entry) throws(StoreError) in
      let row = try entry.value(as: StreamMemberRow.self)
      memberships[row.call] = row.placed
    }
    return memberships
  }

  // MARK: Look-up

  static func key(_ user: UserID, _ call: CallID) -> StoreKey { memberships.key(user.rawValue, call.cid) }

  /// Looks up those `users` who have not been looked up yet.
  func lookUp(
    _ users: [UserID], in call: inout StreamCall, _ transaction: inout Transaction
  ) async throws(StoreOr<GatewayError>) {
    let unknown = call.members.unknown(of: users)
    guard !unknown.isEmpty else { return }
    let id = call.id
    let found = try await transaction.read(unknown.map { Self.key($0, id) })
    for (user, entry) in zip(unknown, found) {
      call.members.learn(user, try transaction.value(entry, as: StreamMemberRow.self)?.placed)
    }
  }

  /// Applies `change` to the call, again if it asks for a member who was not looked up. The call then contains those
  /// members.
  func make(
    _ change: Change, of call: inout StreamCall, in transaction: inout Transaction
  ) async throws(StoreOr<GatewayError>) -> StreamCall {
    let wanted = StreamMembersWanted()
    while true {
      var after = call
      after.members = call.members.telling(wanted)
      var refusal: GatewayError?
      do throws(GatewayError) { try change(&after) } catch { refusal = error }
      let unknown = wanted.takeAll()
      guard unknown.isEmpty else {
        try await lookUp(unknown, in: &call, &transaction)
        continue
      }
      if let refusal { throw .failure(refusal) }
      after.members = after.members.telling(nil)
      return after
    }
  }

  // MARK: Writing

  /// Writes the rows of the members who changed.
  func putMembers(of call: StreamCall, over known: StreamCall?, in transaction: inout Transaction) {
    let counts = [
      StoreCount("stream.members", atMost: limits.members, of: "members of all calls"),
      StoreCount("stream.call-members", call.id.cid, atMost: limits.membersOfCall, of: "members of a call"),
    ]
    for change in call.members.changes(since: known?.members ?? StreamCallMembers()) {
      if let before = change.before, before.place != change.after?.place {
        transaction.delete(Self.members.key(call.id.cid, Self.inOrder(before.place)))
      }
      guard let after = change.after else {
        transaction.delete(Self.key(change.user, call.id))
        continue
      }
      let row = StreamMemberRow(call: call.id, place: after.place, member: after.member)
      transaction.put(Self.members.key(call.id.cid, Self.inOrder(after.place)), row)
      transaction.put(Self.key(change.user, call.id), row, in: counts + [bytes(after.member.footprint)])
    }
  }

  /// Removes all members of the call, and puts them into `call`.
  func forgetMembers(
    of call: inout StreamCall, at now: WallTime, in transaction: inout Transaction
  ) async throws(StoreOr<GatewayError>) {
    guard call.members.count > 0, !call.members.areInCall else { return }
    let rows: [StoreEntry]
    do throws(StoreError) {
      rows = try await store.scan(Self.members.range(call.id.cid), limit: call.members.count, at: now)
    } catch {
      throw .store(error)
    }
    for entry in rows {
      guard let row = try transaction.value(entry, as: StreamMemberRow.self) else { continue }
      call.members.learn(row.member.user, row.placed)
      transaction.delete(StoreKey(path: entry.path, type: StreamMemberRow.self))
      transaction.delete(Self.key(row.member.user, call.id))
    }
  }

  /// Returns the place as text that sorts like the number.
  private static func inOrder(_ place: Int) -> String {
    let digits = String(place)
    return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
  }
}

extension StreamMemberRow {
  var placed: StreamCallMembers.Placed { StreamCallMembers.Placed(place: place, member: member) }
}
