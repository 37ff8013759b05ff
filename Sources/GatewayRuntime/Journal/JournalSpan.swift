package import GatewayCore

/// Some of the journal as it stood at one moment, to be read piece by piece while the loop goes on writing. To take it
/// is to copy the records, 64 bytes each.
package struct JournalSpan: Sendable {
  /// How many of the records that were asked for are kept no more.
  package let missed: UInt64
  /// How old the journal was, in the time of the network.
  package let age: Duration
  /// The number of the oldest of ``records``.
  fileprivate let first: UInt64
  fileprivate let records: [JournalRecord]
  fileprivate let names: JournalNames

  init(_ records: [JournalRecord], first: UInt64, missed: UInt64, age: Duration, _ names: JournalNames) {
    (self.records, self.first, self.missed, self.age, self.names) = (records, first, missed, age, names)
  }

  package var count: Int { records.count }

  /// What is made of it for one user, piece by piece: the lines of `user`, nil for the only one who is named, and those of their
  /// connections before the login. Where nobody else is named, what names nobody is theirs; elsewhere what of that is of
  /// the `unnamed` kinds stands by itself. Without lines of which nobody says anything that `isMeant` wants.
  package struct Share {
    /// The user's own, the oldest first.
    package private(set) var own: [JournalLine] = []
    package private(set) var unnamed: [JournalLine] = []
    /// How many users the span names.
    package var named: Int { users.count }

    private let span: JournalSpan
    private let user: UserID?
    private let kinds: Set<JournalKind>
    private let isMeant: (JournalEvent) -> Bool
    private var users: Set<UInt32> = []
    private var owners: [ConnectionID: UInt32] = [:]
    private var last: (user: UInt32, connection: ConnectionID) = (0, JournalRecord.noConnection)
    private var owner: UInt32?
    private var isAlone = false
    /// How many records it has been through; once for the names, and once more for the lines.
    private var place = 0

    package init(
      _ span: JournalSpan, of user: UserID?, unnamed kinds: Set<JournalKind>,
      where isMeant: @escaping (JournalEvent) -> Bool
    ) {
      (self.span, self.user, self.kinds, self.isMeant) = (span, user, kinds, isMeant)
    }

    /// Goes through `count` records more. False when all is done.
    package mutating func go(_ count: Int) -> Bool {
      let records = span.records
      let end = min(place + count, 2 * records.count)
      while place < min(end, records.count) {
        note(records[place])
        place += 1
      }
      if place == records.count { decide() }
      while place < end {
        take(records[place - records.count], span.first + UInt64(place - records.count))
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
      owner = user.map { span.names.users.number(of: $0) ?? 0 } ?? (users.count == 1 ? users.first : nil)
      isAlone = users.allSatisfy { $0 == owner }
    }

    private mutating func take(_ record: JournalRecord, _ number: UInt64) {
      guard isMeant(record.event) else { return }
      let whose = record.user == 0 ? owners[record.connection] : record.user
      if let whose {
        if whose == owner { own.append(span.names.line(number, record)) }
      } else if isAlone {
        own.append(span.names.line(number, record))
      } else if kinds.contains(record.event.kind) {
        unnamed.append(span.names.line(number, record))
      }
    }
  }
}

/// What the numbers in records stand for, and when the journal began.
struct JournalNames: Sendable {
  var users = JournalUsers()
  /// Of routes, and of faults.
  var words: [String] = []
  /// Of the wire formats, by the numbers of their bindings.
  var dialects: [String] = []
  var beganAt = Instant.zero

  /// The record as it is read.
  func line(_ number: UInt64, _ record: JournalRecord) -> JournalLine {
    var line = JournalLine(
      number: number, at: record.at - beganAt, real: record.real, wallTime: record.wallTime, event: record.event,
      user: record.user == 0 ? nil : users[record.user],
      connection: record.connection == JournalRecord.noConnection ? nil : record.connection)
    if Int(record.dialect) < dialects.count { line.dialect = dialects[Int(record.dialect)] }
    switch record.event {
    case .httpAnswered(let route, _): line.route = words[Int(route)]
    case .faulted(let word, _): line.fault = words[Int(word)]
    case .loggedIn(let grant, _), .refreshed(let grant, _):
      if grant.fingerprint != nil, grant.expiresAt != .distantFuture {
        line.expiresIn = grant.expiresAt - record.at
      }
    default: break
    }
    return line
  }
}
