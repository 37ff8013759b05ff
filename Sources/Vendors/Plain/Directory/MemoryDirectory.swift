package import GatewayCore

/// A directory in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, so that in a simulated world its answers come in the same order every time.
package actor MemoryDirectory: Directory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let limits: MemoryDirectoryLimits
  /// Sets the guests of this directory apart from those of an earlier one, whose tokens may still be good.
  private let guestPrefix: String
  private var guestCount: UInt64 = 0
  private var calls: [CallID: Call] = [:]
  private var membershipCount = 0
  private var accessTokens: [[UInt8]: AccessTokenRecord] = [:]
  /// No access token expires before this: until then looking for expired ones is in vain.
  private var earliestExpiry = WallTime(nanoseconds: .max)

  private struct Call {
    let createdBy: UserID
    let createdAt: WallTime
    var members: [UserID] = []
    var memberSet: Set<UserID> = []
  }

  /// An empty directory. `generator` gives its guests' names their prefix.
  package init(
    on executor: any SerialExecutor, limits: MemoryDirectoryLimits = MemoryDirectoryLimits(),
    generator: SeededGenerator
  ) {
    self.executor = executor
    self.limits = limits
    var generator = generator
    guestPrefix = "guest-" + String(generator.next() >> 24, radix: 36)
  }

  package func makeGuest(wish: String?) -> UserID {
    guestCount += 1
    let name = "\(guestPrefix)-\(guestCount)"
    let tail = (wish ?? "").utf8.filter(Self.isAllowed).prefix(32)
    return UserID(tail.isEmpty ? name : "\(name)-\(String(decoding: Array(tail), as: UTF8.self))")
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

  package func getOrCreateCall(
    _ call: CallID, by user: UserID, at now: WallTime
  ) throws(GatewayError) -> CallRecord {
    if let known = calls[call] { return record(call, known, isNew: false) }
    guard calls.count < limits.calls else { throw .tooMany.detailed("\(limits.calls) calls") }
    let made = Call(createdBy: user, createdAt: now)
    calls[call] = made
    return record(call, made, isNew: true)
  }

  package func call(_ call: CallID) -> CallRecord? {
    calls[call].map { record(call, $0, isNew: false) }
  }

  package func join(_ call: CallID, user: UserID) throws(GatewayError) -> CallRecord {
    guard let index = calls.index(forKey: call) else { throw .notFound.detailed("there is no call \(call)") }
    if !calls.values[index].memberSet.contains(user) {
      guard calls.values[index].members.count < limits.membersOfCall else {
        throw .tooMany.detailed("\(limits.membersOfCall) members of a call")
      }
      guard membershipCount < limits.memberships else { throw .tooMany.detailed("\(limits.memberships) memberships") }
      membershipCount += 1
      calls.values[index].memberSet.insert(user)
      calls.values[index].members.append(user)
    }
    return record(call, calls.values[index], isNew: false)
  }

  private func record(_ id: CallID, _ call: Call, isNew: Bool) -> CallRecord {
    CallRecord(
      id: id, createdBy: call.createdBy, createdAt: call.createdAt, members: call.members, isNew: isNew)
  }

  package func storeAccessToken(hash: [UInt8], _ record: AccessTokenRecord) throws(GatewayError) {
    if accessTokens.count >= limits.accessTokens && earliestExpiry <= record.issuedAt {
      accessTokens = accessTokens.filter { !$0.value.hasExpired(at: record.issuedAt) }
      earliestExpiry = accessTokens.values.compactMap(\.expiresAt).min() ?? WallTime(nanoseconds: .max)
    }
    guard accessTokens.count < limits.accessTokens || accessTokens[hash] != nil else {
      throw .tooMany.detailed("\(limits.accessTokens) access tokens")
    }
    accessTokens[hash] = record
    if let expiresAt = record.expiresAt { earliestExpiry = min(earliestExpiry, expiresAt) }
  }

  package func accessToken(hash: [UInt8], at now: WallTime) -> AccessTokenRecord? {
    guard let record = accessTokens[hash] else { return nil }
    guard record.hasExpired(at: now) else { return record }
    accessTokens[hash] = nil
    return nil
  }
}

extension AccessTokenRecord {
  fileprivate func hasExpired(at now: WallTime) -> Bool {
    expiresAt.map { $0 <= now } ?? false
  }
}
