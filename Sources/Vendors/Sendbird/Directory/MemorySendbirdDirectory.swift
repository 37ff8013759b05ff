package import GatewayCore

/// The users of a Sendbird application in the memory of one process: gone when it ends.
///
/// Runs on the executor it is given, so that in a simulated world its answers come in the same order every time.
package actor MemorySendbirdDirectory: SendbirdDirectory {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any SerialExecutor
  private let usersMax: Int
  private let bytesMax: Int
  /// What users' texts take, of all together.
  private var bytes = 0
  private var users: [UserID: SendbirdUser] = [:]
  /// The users' ids by their numbers, which rise.
  private var order: [(number: Int64, id: UserID)] = []
  private var lastNumber: Int64 = 0
  /// The users who were deleted and not made anew, with the turn in which they were.
  private var deleted: [UserID: Int] = [:]
  private var deletions: [UserID] = []
  private var firstDeletion = 0

  /// An empty directory with room for `usersMax` users and for `bytesMax` bytes of their texts.
  package init(on executor: any SerialExecutor, usersMax: Int = 100_000, bytesMax: Int = 64 << 20) {
    self.executor = executor
    self.usersMax = usersMax
    self.bytesMax = bytesMax
  }

  package func createUser(_ user: SendbirdUser) throws(GatewayError) -> SendbirdUser {
    guard users[user.id] == nil else { throw .alreadyExists.detailed("a user of that id") }
    guard users.count < usersMax else { throw .tooMany.detailed("\(usersMax) users") }
    guard bytes + user.bytes <= bytesMax else { throw .tooMany.detailed("\(bytesMax) bytes of users") }
    bytes += user.bytes
    lastNumber += 1
    var user = user
    user.number = lastNumber
    if deleted.removeValue(forKey: user.id) != nil {
      user.sessionTokensValidFrom = max(user.createdAt, user.sessionTokensValidFrom ?? user.createdAt)
    }
    users[user.id] = user
    order.append((lastNumber, user.id))
    return user
  }

  package func getOrCreateUser(_ id: UserID, at now: WallTime) throws(GatewayError) -> SendbirdUser {
    if let known = users[id] { return known }
    return try createUser(SendbirdUser(id, createdAt: now))
  }

  package func user(_ id: UserID) -> SendbirdUser? {
    users[id]
  }

  package func users(_ ids: Set<UserID>) -> [UserID: SendbirdUser] {
    ids.reduce(into: [:]) { $0[$1] = users[$1] }
  }

  package func users(_ query: SendbirdUserQuery) -> SendbirdUserPage {
    var found: [SendbirdUser] = []
    for index in (0..<place(of: query.before ?? .max)).reversed() {
      guard let user = users[order[index].id], query.includes(user) else { continue }
      // One more than fits: there is another page.
      guard found.count < query.limit else { return SendbirdUserPage(users: found, next: found.last?.number) }
      found.append(user)
    }
    return SendbirdUserPage(users: found, next: nil)
  }

  package func updateUser(
    _ id: UserID, _ change: @Sendable (inout SendbirdUser) -> Void
  ) throws(GatewayError) -> SendbirdUser {
    guard let known = users[id] else { throw .notFound.detailed("there is no such user") }
    var user = known
    change(&user)
    user.number = known.number
    // Another id would be another user.
    guard user.id == id else { return known }
    let growth = user.bytes - known.bytes
    guard growth <= 0 || bytes + growth <= bytesMax else { throw .tooMany.detailed("\(bytesMax) bytes of users") }
    bytes += growth
    users[id] = user
    return user
  }

  package func deleteUser(_ id: UserID) throws(GatewayError) {
    guard let user = users.removeValue(forKey: id) else { throw .notFound.detailed("there is no such user") }
    bytes -= user.bytes
    order.remove(at: place(of: user.number))
    rememberDeletion(of: id)
  }

  package func wasDeleted(_ id: UserID) -> Bool {
    deleted[id] != nil
  }

  private func rememberDeletion(of id: UserID) {
    deleted[id] = firstDeletion + deletions.count
    deletions.append(id)
    guard deletions.count > 2 * usersMax else { return }
    // Half of them are forgotten at once: so seldom that it costs a deletion little.
    for forgotten in deletions[..<usersMax] {
      if deleted[forgotten].map({ $0 < firstDeletion + usersMax }) ?? false { deleted[forgotten] = nil }
    }
    deletions.removeFirst(usersMax)
    firstDeletion += usersMax
  }

  /// The place of the first number that is not smaller.
  private func place(of number: Int64) -> Int {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if order[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension SendbirdUser {
  /// About how many bytes of memory its texts take.
  fileprivate var bytes: Int {
    let lists = (discoveryKeys + preferredLanguages).reduce(0) { $0 + 32 + $1.utf8.count }
    let texts = id.rawValue.utf8.count + nickname.utf8.count + profileURL.utf8.count + phoneNumber.utf8.count
    return 100 + texts + lists + metadata.bytes
  }
}
