internal import CRuntime
package import GatewayCore

/// A record of what happened on one loop, in order: a ring of fixed size whose oldest records are overwritten.
///
/// Writing a record fills 64 bytes. Text is made when the record is read. A waiter is resumed by a continuation, which
/// runs later. So nothing re-enters during a change, and the runtime need not check the accesses of every record
/// (`@exclusivity(unchecked)`).
///
/// `@unchecked Sendable`: touched only on its loop.
package final class Journal: @unchecked Sendable {
  package let loop: EventLoop
  /// The loop with the network's time.
  private let transport: EventLoop
  /// How many records it keeps, a power of two.
  package let capacity: Int
  /// The wire formats, by the numbers of their bindings.
  package var wires: [JournalWire] = [] {
    didSet { names.wires = wires }
  }
  private let records: UnsafeMutablePointer<JournalRecord>
  /// Nil where only the records are kept.
  private let payloads: JournalPayloads?
  /// The number of the newest record; 0 before the first.
  @exclusivity(unchecked) package private(set) var last: UInt64 = 0
  private var names = JournalNames()
  /// The names that records have by numbers: of routes, and of faults.
  private var wordNumbers: [Name: UInt16] = [:]
  /// The observer of every record.
  @exclusivity(unchecked) package var observer: (any JournalObserver)?
  /// The recorders of every line, and the request that the next line is about.
  @exclusivity(unchecked) var recorders: [Held] = []
  var exchange: HTTPExchange?
  private var realBeganAt = Instant.zero
  /// The waiters, by number.
  @exclusivity(unchecked) var waiters: [UInt64: JournalWaiter] = [:]
  var lastWaiter: UInt64 = 0
  /// The number of expectations that are being checked on copies of the journal. No user is removed during that time,
  /// since a copy may name the user.
  package var judgements = 0
  /// Whether no further wait is allowed.
  package internal(set) var hasEnded = false

  /// Creates a journal of that loop. Its records take at most `bytes`, and the content of messages at most
  /// `payloadBytes`; nil to store no content.
  package init(on loop: EventLoop, bytes: Int, payloadBytes: Int? = nil) {
    (self.loop, transport) = (loop, loop.transport)
    let most = max(1, bytes / MemoryLayout<JournalRecord>.stride)
    capacity = 1 << (Int.bitWidth - 1 - most.leadingZeroBitCount)
    // The system gives the pages when they are written to.
    records = .allocate(capacity: capacity)
    payloads = payloadBytes.map { [capacity] in JournalPayloads(bytes: $0, records: capacity) }
  }

  deinit { records.deallocate() }

  /// Its time begins now.
  package func begin() {
    names.beganAt = loop.now
    realBeganAt = transport.now
    transport.measureLateness()
  }

  /// The times at which its loop was late or its machine had too little processor, since it began.
  package var late: LateTimes {
    LateTimes(
      transport.lateness.all.compactMap { span in
        guard span.to > realBeganAt else { return nil }
        return LateTimes.Span(
          from: max(.zero, span.from - realBeganAt), to: span.to - realBeganAt, lost: span.lost)
      })
  }

  /// How long ago it began, in the time of sessions, as `at_ms` of its lines.
  package var sessionAge: Duration { loop.now - names.beganAt }

  /// How long ago it began, in the time of the network.
  package var age: Duration { transport.now - realBeganAt }

  /// How many users it knows by name.
  package var userCount: Int { names.users.count }

  /// The number of the oldest record that is kept.
  package var first: UInt64 { last > UInt64(capacity) ? last - UInt64(capacity) + 1 : 1 }

  /// The number of the oldest record by which a reader may still ask for a user's name.
  private var firstNamed: UInt64 { judgements > 0 ? 1 : first }

  private func place(of number: UInt64) -> Int { Int(truncatingIfNeeded: number &- 1) & (capacity - 1) }

  // MARK: Writing

  /// Writes what has happened now.
  package func write(
    _ event: JournalEvent, by connection: ConnectionID? = nil, user: UInt32 = 0, dialect: UInt8 = .max
  ) {
    let record = append(event, by: connection, user: user, dialect: dialect)
    if !recorders.isEmpty { self.record(last, record, nil, .text) }
  }

  private func append(
    _ event: JournalEvent, by connection: ConnectionID?, user: UInt32, dialect: UInt8
  ) -> JournalRecord {
    last += 1
    let record = JournalRecord(
      at: loop.now, wallTime: loop.wallTime,
      realMicroseconds: UInt64(clamping: (transport.now.nanoseconds &- realBeganAt.nanoseconds) / 1_000),
      connection: connection ?? JournalRecord.noConnection, event: event, user: user, dialect: dialect)
    (records + place(of: last)).initialize(to: record)
    // A store that misses the cache is waited for by the next count of a reference.
    postern_prefetch_for_writing(records + place(of: last + 1))
    payloads?.skip(at: place(of: last))
    if !waiters.isEmpty { tell(record) }
    observer?.journalWrote(event.kind, by: connection, of: names.users[user])
    return record
  }

  /// Records a message that came in or went out, and its content if that is stored.
  package func write(
    _ event: JournalEvent, saying payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, by connection: ConnectionID,
    user: UInt32, dialect: UInt8
  ) {
    let record = append(event, by: connection, user: user, dialect: dialect)
    payloads?.write(payload, kind, at: place(of: last))
    if !recorders.isEmpty { self.record(last, record, payload, kind) }
  }

  /// Whether it stores the content of messages.
  package var keepsPayloads: Bool { payloads != nil }

  /// Writes what has happened to a user who needs no connection for it.
  package func write(_ event: JournalEvent, of user: UserID) {
    write(event, user: names.users.take(user, holders: 0, next: last + 1, first: firstNamed))
  }

  /// Writes that an HTTP request was answered.
  func write(_ answer: LoopMetrics.HTTPAnswer, dialect: Int) {
    let status = UInt16(clamping: answer.status)
    write(.httpAnswered(route: number(of: answer.route), status: status), dialect: UInt8(clamping: dialect))
  }

  /// Writes that a proxy passed an HTTP request on and its answer back, or answered it itself. There must be few routes.
  package func write(route: String, status: Int, dialect: UInt8) {
    write(.httpAnswered(route: number(of: route), status: UInt16(clamping: status)), dialect: dialect)
  }

  /// Writes that a proxy got no answer from the gateway behind it. There must be few names.
  package func write(failure name: String, status: Int, by connection: ConnectionID?, dialect: UInt8) {
    write(.upstreamFailed(name: number(of: name), status: UInt16(clamping: status)), by: connection, dialect: dialect)
  }

  /// Writes that a gateway behind a proxy sends a client to a target of the proxy, or to an address that was left as it is,
  /// and why. There must be few names of both.
  package func write(
    handover target: String?, failure: String, then: ReturnVerdict, by connection: ConnectionID, user: UInt32,
    dialect: UInt8
  ) {
    write(
      .handedOver(name: number(of: target ?? failure), isLeft: target == nil, then: UInt8(clamping: then.number)),
      by: connection, user: user, dialect: dialect)
  }

  /// Writes that a signal came from outside, or from a fault (`isPlayed`), or why it was refused. There must be few names of
  /// both.
  package func write(signal: String, failure: String?, of user: UserID?, isPlayed: Bool) {
    let user = user.map { names.users.take($0, holders: 0, next: last + 1, first: firstNamed) } ?? 0
    let event: JournalEvent =
      if let failure {
        .signalRefused(name: number(of: signal), failure: number(of: failure), isPlayed: isPlayed)
      } else {
        .signalTaken(name: number(of: signal), isPlayed: isPlayed)
      }
    write(event, user: user)
  }

  /// Writes what has happened to a connection's user, who may not be logged in yet.
  package func write(
    _ event: JournalEvent, by connection: ConnectionID, of user: UserID?, speaking dialect: String
  ) {
    let user = user.map { names.users.take($0, holders: 0, next: last + 1, first: firstNamed) } ?? 0
    let binding = wires.firstIndex { Name($0.name) == Name(dialect) }
    write(event, by: connection, user: user, dialect: UInt8(clamping: binding ?? Int(UInt8.max)))
  }

  /// Writes that one of the application's own servers is asked. There must be few names of endpoints.
  package func write(asking question: JournalQuestion) {
    write(
      .outboundAsked(JournalTrace(question.trace), endpoint: number(of: question.endpoint)), by: question.connection,
      of: question.user, speaking: question.dialect)
  }

  /// Writes the answer to a question, or why it is of no use (`failure`). There must be few names of both.
  package func write(answer result: String, failure: String?, to question: JournalQuestion, after time: Duration) {
    write(
      .outboundAnswered(
        JournalTrace(question.trace), after: JournalDelay(time), endpoint: number(of: question.endpoint),
        result: number(of: result), failure: failure.map { number(of: $0) }),
      by: question.connection, of: question.user, speaking: question.dialect)
  }

  /// Writes that a webhook was sent, or why not (`failure`). There must be few names of endpoints.
  package func write(webhookTo endpoint: String, status: Int?, failure: String?, after time: Duration) {
    write(
      .webhookSent(
        after: JournalDelay(time), endpoint: number(of: endpoint), status: UInt16(clamping: status ?? 0),
        failure: failure.map { number(of: $0) }))
  }

  /// Writes that a fault affected a user, or would have and found no room (`isFull`).
  package func write(
    fault word: String, number: UInt32, isFull: Bool = false, by connection: ConnectionID?, of user: UserID?
  ) {
    let user = user.map { names.users.take($0, holders: 0, next: last + 1, first: firstNamed) } ?? 0
    write(.faulted(word: self.number(of: word), number: number, isFull: isFull), by: connection, user: user)
  }

  private func number(of word: String) -> UInt16 {
    let name = Name(word)
    if let number = wordNumbers[name] { return number }
    let number = UInt16(clamping: names.words.count)
    wordNumbers[name] = number
    names.words.append(word)
    return number
  }

  /// Returns the number of a user that a connection is going to write about, and keeps it until the connection releases it.
  package func hold(_ user: UserID) -> UInt32 { names.users.take(user, holders: 1, next: last + 1, first: firstNamed) }

  package func release(_ number: UInt32) {
    if number != 0 { names.users.release(number, last: last) }
  }

  // MARK: Reading

  /// The kept records that are meant, oldest first.
  package func page(_ query: Query) -> JournalPage {
    var page = JournalPage(next: max(last, query.after))
    page.missed = query.after + 1 < first ? first - query.after - 1 : 0
    let user = query.user.map { names.users.number(of: $0) }
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
        if query.hasPayloads { page.lines[page.lines.count - 1].payload = payload(of: number, record) }
      }
      number += 1
    }
    return page
  }

  /// How many records of each kind there are of the user.
  package func counts(of user: UserID) -> [JournalKind: Int] {
    guard let wanted = names.users.number(of: user), last > 0 else { return [:] }
    var counts: [JournalKind: Int] = [:]
    for number in first...last {
      let record = records[place(of: number)]
      if record.user == wanted { counts[record.event.kind, default: 0] += 1 }
    }
    return counts
  }

  /// The wire formats, in the order of their numbers.
  package var dialects: [String] { wires.map(\.name) }

  /// The number that records have for the user; nil if none can name them.
  func userNumber(_ user: UserID) -> UInt32? { names.users.number(of: user) }

  func isOf(_ user: UserID, _ record: JournalRecord) -> Bool { names.users[record.user] == user }

  /// Returns what may be shown of the record's message.
  private func payload(of number: UInt64, _ record: JournalRecord) -> String? {
    guard let frame = payloads?[place(of: number)], Int(record.dialect) < wires.count else { return nil }
    return wires[Int(record.dialect)].redacted(frame, isUnderstood: record.event.isUnderstood)
  }

  func line(_ number: UInt64, _ record: JournalRecord) -> JournalLine { names.line(number, record) }

  /// Returns a copy of the records behind line `after`.
  package func span(after: UInt64) -> JournalSpan {
    let begin = min(max(first, after &+ 1), last + 1)
    let count = Int(last + 1 - begin)
    let span = [JournalRecord](unsafeUninitializedCapacity: count) { copy, filled in
      // In one piece, or in two where it goes over the end of the ring.
      let head = min(count, capacity - place(of: begin))
      copy.baseAddress?.initialize(from: records + place(of: begin), count: head)
      if count > head { (copy.baseAddress! + head).initialize(from: records, count: count - head) }
      filled = count
    }
    return JournalSpan(
      span, first: begin, missed: after + 1 < first ? first - after - 1 : 0, age: age,
      sessionAge: sessionAge, of: self)
  }
}
