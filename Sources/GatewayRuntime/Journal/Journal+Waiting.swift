package import GatewayCore

// Waiting for lines of the journal. Nothing polls: each line that is written is matched against the waiters.

extension Journal {
  /// How many may wait at once.
  package static let waitersMax = 64

  package static let full = GatewayError.tooMany.detailed("\(waitersMax) wait for the journal already")

  /// A wait's result: the lines found, and whether they were as many as wanted.
  package struct Outcome: Hashable, Sendable {
    package var isMet: Bool
    package var page: JournalPage
  }

  /// Whether one more may wait.
  package var hasRoom: Bool { waiters.count < Self.waitersMax }

  /// Tells `then` as soon as there are `count` records that are meant, or when so much time of the network has passed;
  /// at once, in this call, if they are there. Returns what ``giveUp(_:)`` takes; nil if nothing is waited for. Throws
  /// `GatewayError.tooMany` if as many wait as may.
  package func wait(
    for query: Query, count: Int, within limit: Duration, then: @escaping @Sendable (Outcome) -> Void
  ) throws(GatewayError) -> UInt64? {
    var query = query
    query.limit = count
    let page = page(query)
    let isMet = page.lines.count >= count
    guard !isMet, !hasEnded, limit > .zero else {
      then(Outcome(isMet: isMet, page: page))
      return nil
    }
    guard hasRoom else {
      throw Self.full
    }
    lastWaiter += 1
    let number = lastWaiter
    let waiter = JournalWaiter(query, page, count: count, then: then) { [unowned self] in
      loop.asCurrent { end(number, isMet: false) }
    }
    waiters[number] = waiter
    loop.transport.deadlines.set(waiter.wakeup, at: loop.transport.now + limit)
    return number
  }

  /// Ends a wait before its time.
  package func giveUp(_ number: UInt64) { end(number, isMet: false) }

  /// Ends every wait; no further wait begins.
  package func end() {
    hasEnded = true
    for number in waiters.keys.sorted() { end(number, isMet: false) }
    for held in recorders { held.recorder?.journalEnded() }
  }

  /// Matches the newest record against the waiters.
  func tell(_ record: JournalRecord) {
    for number in waiters.keys.sorted() {
      guard let waiter = waiters[number], waiter.query.takesIn(record),
        waiter.query.user.map({ isOf($0, record) }) ?? true
      else { continue }
      waiter.page.lines.append(line(last, record))
      if waiter.page.lines.count >= waiter.count { end(number, isMet: true) }
    }
  }

  private func end(_ number: UInt64, isMet: Bool) {
    guard let waiter = waiters.removeValue(forKey: number) else { return }
    loop.transport.deadlines.remove(waiter.wakeup)
    waiter.page.next = isMet ? waiter.page.lines.last?.number ?? last : last
    waiter.then(Outcome(isMet: isMet, page: waiter.page))
  }
}
