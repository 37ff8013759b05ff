package import GatewayCore

/// A copy of some of the journal at one moment, read piece by piece while the loop goes on writing.
///
/// Making it copies the records, 64 bytes each. The names in them stay in the journal.
package struct JournalSpan: Sendable {
  /// The number of requested records that are no longer stored.
  package let missed: UInt64
  /// How old the journal was, in the time of the network.
  package let age: Duration
  /// How old the journal was, in the time of sessions.
  package let sessionAge: Duration
  /// The number of the oldest of ``records``.
  fileprivate let first: UInt64
  fileprivate let records: [JournalRecord]
  fileprivate let journal: Journal

  init(
    _ records: [JournalRecord], first: UInt64, missed: UInt64, age: Duration, sessionAge: Duration, of journal: Journal
  ) {
    (self.records, self.first, self.missed, self.age, self.journal) = (records, first, missed, age, journal)
    self.sessionAge = sessionAge
  }

  package var count: Int { records.count }

  /// The lines of these numbers, which it has. Only on the journal's loop.
  package func lines(_ numbers: [UInt64]) -> [JournalLine] {
    numbers.map { journal.line($0, records[Int($0 - first)]) }
  }

  /// The share of one user in a span, read piece by piece.
  ///
  /// It has the lines of `user` (nil for the only user that is named), and the lines of the user's connections before the
  /// login. If no other user is named, it has lines without a user too; otherwise lines of the `unnamed` kinds are counted
  /// separately. Lines of other wire formats than `dialect` are left out, and lines that `isMeant` rejects.
  package struct Share {
    /// The numbers of the lines that may be the user's or another's.
    package private(set) var unnamed: [UInt64] = []
    /// How many users the span names, once it has been through the names.
    package var named: Int { users.count }

    private let span: JournalSpan
    private let user: UserID?
    private let dialect: UInt8?
    private let kinds: Set<JournalKind>
    private let isMeant: (JournalEvent) -> Bool
    private var users: Set<UInt32> = []
    private var owners: [ConnectionID: UInt32] = [:]
    private var last: (user: UInt32, connection: ConnectionID) = (0, JournalRecord.noConnection)
    private var owner: UInt32?
    private var isAlone = false
    /// The number of records processed so far; records are read once for the names, and once more for the lines.
    private var place = 0

    package init(
      _ span: JournalSpan, of user: UserID?, in dialect: UInt8?, unnamed kinds: Set<JournalKind>,
      where isMeant: @escaping (JournalEvent) -> Bool
    ) {
      (self.span, self.user, self.dialect, self.kinds, self.isMeant) = (span, user, dialect, kinds, isMeant)
    }

    /// Processes `count` more records, and calls `tell` with the user's lines, the oldest first. Returns false when all
    /// are done, or as soon as `tell` asks to stop. Only on the journal's loop.
    package mutating func go(_ count: Int, _ tell: (JournalLine) -> Bool) -> Bool {
      let records = span.records
      let end = min(place + count, 2 * records.count)
      while place < min(end, records.count) {
        note(records[place])
        place += 1
      }
      if place == records.count { decide() }
      while place < end {
        let number = span.first + UInt64(place - records.count)
        guard take(records[place - records.count], number, tell) else { return false }
        place += 1
      }
      return place < 2 * records.count
    }

    private mutating func note(_ record: JournalRecord) {
      // Most records are of the same connection as the one before.
      guard record.user != 0, record.user != last.user || record.connection != last.connection else { return }
      if record.user != last.user { users.insert(record.user) }
      last = (record.user, record.connection)
      if record.connection != JournalRecord.noConnection { owners[record.connection] = record.user }
    }

    private mutating func decide() {
      owner = user.map { span.journal.userNumber($0) ?? 0 } ?? (users.count == 1 ? users.first : nil)
      isAlone = users.allSatisfy { $0 == owner }
    }

    /// Returns false if `tell` asks to stop.
    private mutating func take(_ record: JournalRecord, _ number: UInt64, _ tell: (JournalLine) -> Bool) -> Bool {
      guard dialect == nil || record.dialect == .max || record.dialect == dialect, isMeant(record.event) else {
        return true
      }
      let whose = record.user == 0 ? owners[record.connection] : record.user
      if whose == nil ? isAlone : whose == owner { return tell(span.journal.line(number, record)) }
      if whose == nil, kinds.contains(record.event.kind) { unnamed.append(number) }
      return true
    }
  }
}

/// The texts for the numbers in records, and the time at which the journal began.
struct JournalNames {
  var users = JournalUsers()
  /// The names of routes and of faults.
  var words: [String] = []
  /// The wire formats, by the numbers of their bindings.
  var wires: [JournalWire] = []
  var beganAt = Instant.zero

  /// Returns the record as a line.
  func line(_ number: UInt64, _ record: JournalRecord) -> JournalLine {
    var line = JournalLine(
      number: number, at: record.at - beganAt, real: record.real, wallTime: record.wallTime, event: record.event,
      user: record.user == 0 ? nil : users[record.user],
      connection: record.connection == JournalRecord.noConnection ? nil : record.connection)
    if Int(record.dialect) < wires.count {
      line.dialect = wires[Int(record.dialect)].name
      line.renewal = wires[Int(record.dialect)].renewal
    }
    switch record.event {
    case .httpAnswered(let route, _): line.route = words[Int(route)]
    case .faulted(let word, _, _): line.fault = words[Int(word)]
    case .upstreamFailed(let name, _): line.failure = words[Int(name)]
    case .handedOver(let name, let isLeft, _):
      if isLeft { line.failure = words[Int(name)] } else { line.target = words[Int(name)] }
    case .signalTaken(let name, _): line.signal = words[Int(name)]
    case .signalRefused(let name, let failure, _):
      (line.signal, line.failure) = (words[Int(name)], words[Int(failure)])
    case .outboundAsked(_, let endpoint): line.endpoint = words[Int(endpoint)]
    case .outboundAnswered(_, _, let endpoint, let result, let failure):
      (line.endpoint, line.result) = (words[Int(endpoint)], words[Int(result)])
      line.failure = failure.map { words[Int($0)] }
    case .webhookSent(_, let endpoint, _, let failure):
      (line.endpoint, line.failure) = (words[Int(endpoint)], failure.map { words[Int($0)] })
    case .loggedIn(let grant, _), .refreshed(let grant, _):
      if grant.fingerprint != nil, grant.expiresAt != .distantFuture {
        line.expiresIn = grant.expiresAt - record.at
      }
    default: break
    }
    return line
  }
}
