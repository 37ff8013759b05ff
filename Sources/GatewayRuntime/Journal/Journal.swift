package import GatewayCore

/// What happened on one loop, in the order in which it did: a ring of fixed records, of which the oldest make room. A test
/// asks it whether ann was asked for another token once, or twice.
///
/// To write is to fill 64 bytes. Text is made when somebody asks. Who waits is told by a continuation, which runs later, so
/// no change is come back to in its middle and the runtime need not watch those of every record (`@exclusivity(unchecked)`).
///
/// `@unchecked Sendable`: touched only on its loop.
package final class Journal: @unchecked Sendable {
  let loop: EventLoop
  /// How many records it keeps, a power of two.
  package let capacity: Int
  /// The names of the dialects, by the numbers of their bindings.
  var dialects: [String] = []
  private let records: UnsafeMutablePointer<JournalRecord>
  /// The number of the newest record; 0 before the first.
  @exclusivity(unchecked) package private(set) var last: UInt64 = 0
  private var users = JournalUsers()
  private var routes: [Name: UInt16] = [:]
  private var routeNames: [String] = []
  private var beganAt = Instant.zero
  /// Who waits for what has not happened yet, by number.
  @exclusivity(unchecked) var waiters: [UInt64: JournalWaiter] = [:]
  var lastWaiter: UInt64 = 0
  /// How many HTTP requests wait so.
  package var waitingRequests = 0
  /// Whether nobody is to wait any more.
  package internal(set) var hasEnded = false

  /// A journal of that loop, whose records take so many bytes at most.
  package init(on loop: EventLoop, bytes: Int) {
    self.loop = loop
    let most = max(1, bytes / MemoryLayout<JournalRecord>.stride)
    capacity = 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    // The system gives the pages when they are written to.
    records = .allocate(capacity: capacity)
  }

  deinit { records.deallocate() }

  /// Its time begins now.
  package func begin() { beganAt = loop.now }

  /// How many users it knows by name.
  package var userCount: Int { users.count }

  /// The number of the oldest record that is kept.
  package var first: UInt64 { last > UInt64(capacity) ? last - UInt64(capacity) + 1 : 1 }

  private func place(of number: UInt64) -> Int { Int(truncatingIfNeeded: number &- 1) & (capacity - 1) }

  // MARK: Writing

  /// Writes what has happened now.
  package func write(
    _ event: JournalEvent, by connection: ConnectionID? = nil, user: UInt32 = 0, dialect: UInt8 = .max
  ) {
    last += 1
    let record = JournalRecord(
      at: loop.now, wallTime: loop.wallTime, connection: connection ?? JournalRecord.noConnection, event: event,
      user: user,
      dialect: dialect)
    (records + place(of: last)).initialize(to: record)
    if !waiters.isEmpty { tell(record) }
  }

  /// Writes what has happened to a user who needs no connection for it.
  package func write(_ event: JournalEvent, of user: UserID) {
    write(event, user: users.take(user, holders: 0, next: last + 1, first: first))
  }

  /// Writes that an HTTP request was answered.
  func write(_ answer: LoopMetrics.HTTPAnswer, dialect: Int) {
    let status = UInt16(clamping: answer.status)
    write(.httpAnswered(route: number(ofRoute: answer.route), status: status), dialect: UInt8(clamping: dialect))
  }

  private func number(ofRoute text: String) -> UInt16 {
    let name = Name(text)
    if let number = routes[name] { return number }
    let number = UInt16(clamping: routeNames.count)
    routes[name] = number
    routeNames.append(text)
    return number
  }

  /// The number of a user of whom a connection is going to write, until it releases it.
  package func hold(_ user: UserID) -> UInt32 { users.take(user, holders: 1, next: last + 1, first: first) }

  package func release(_ number: UInt32) {
    if number != 0 { users.release(number, last: last) }
  }

  // MARK: Reading

  /// The kept records that are meant, oldest first.
  package func page(_ query: Query) -> JournalPage {
    var page = JournalPage(next: max(last, query.after))
    page.missed = query.after + 1 < first ? first - query.after - 1 : 0
    let user = query.user.map { users.number(of: $0) }
    if case .some(.none) = user { return page }
    var number = max(first, query.after &+ 1)
    while number <= last {
      let record = records[place(of: number)]
      if query.takesIn(record), user.map({ $0 == record.user }) ?? true {
        guard page.lines.count < query.limit else {
          page.next = number - 1
          return page
        }
        page.lines.append(line(number, record))
      }
      number += 1
    }
    return page
  }

  /// How many records of each kind there are of the user.
  package func counts(of user: UserID) -> [JournalKind: Int] {
    guard let wanted = users.number(of: user), last > 0 else { return [:] }
    var counts: [JournalKind: Int] = [:]
    for number in first...last {
      let record = records[place(of: number)]
      if record.user == wanted { counts[record.event.kind, default: 0] += 1 }
    }
    return counts
  }

  func isOf(_ user: UserID, _ record: JournalRecord) -> Bool { users[record.user] == user }

  func line(_ number: UInt64, _ record: JournalRecord) -> JournalLine {
    var line = JournalLine(
      number: number, at: record.at - beganAt, wallTime: record.wallTime, event: record.event,
      user: users[record.user], connection: record.connection == JournalRecord.noConnection ? nil : record.connection)
    if Int(record.dialect) < dialects.count { line.dialect = dialects[Int(record.dialect)] }
    switch record.event {
    case .httpAnswered(let route, _): line.route = routeNames[Int(route)]
    case .loggedIn(let grant, _), .refreshed(let grant, _):
      if grant.fingerprint != nil, grant.expiresAt != .distantFuture {
        line.expiresIn = grant.expiresAt - record.at
      }
    default: break
    }
    return line
  }
}
