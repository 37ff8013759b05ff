package import GatewayCore
internal import Synchronization

// Asking for tokens before a wave comes.

extension Gateway {
  /// Asks the matching sessions of every node for their next tokens, one after the other from now on, evenly, until the first
  /// of a node's would be asked anyway or the order's time is over. Sessions of an earlier order stay with that order. Returns
  /// how many sessions there are; throws `GatewayError.tooMany`, with nothing done, if as many orders are under way on this
  /// node as may be.
  package func spread(_ order: SpreadOrder) async throws(GatewayError) -> SpreadOrder.Outcome {
    let count = spreadCount.add(1, ordering: .relaxed).newValue
    guard let nodes, !NodeScope.isHere else { return try await spreadHere(order, number: count) }
    // No two nodes give one number.
    let number = count << 6 | UInt64(nodes.life.node)
    var outcome = try await spreadHere(order, number: number)
    let replies = await nodes.ask(.spread(order, number: number), isOrder: true)
    for case .spread(let sessions, let over) in replies.answers.values {
      outcome.sessions += sessions
      outcome.over = max(outcome.over, over)
    }
    outcome.missing = nodes.names(of: replies.missing)
    if outcome.sessions > 0 { outcome.order = number }
    return outcome
  }

  /// Begins the share of this process in an order with that number.
  func spreadHere(_ order: SpreadOrder, number: UInt64) async throws(GatewayError) -> SpreadOrder.Outcome {
    for table in tables {
      guard await table.perform({ $0.spreads.count < LoopTable.spreadsMax }) else {
        throw .tooMany.detailed("\(LoopTable.spreadsMax) orders to spread a wave are under way")
      }
    }
    var outcome = SpreadOrder.Outcome()
    for table in tables {
      let share = (Double(table.loop.index) + 0.5) / Double(tables.count)
      let (count, over) = await table.perform { $0.spread(order, share, number: number) }
      outcome.sessions += count
      outcome.over = max(outcome.over, over)
    }
    if outcome.sessions > 0 { outcome.order = number }
    return outcome
  }

  /// Cancels the order of that number on every node: its remaining sessions are not asked early. Returns how many those are;
  /// nil if no such order is under way.
  package func takeBackSpread(_ number: UInt64) async -> Reached? {
    let own = await takeBackSpreadHere(number)
    guard let nodes, !NodeScope.isHere else { return own.map { Reached(sessions: $0) } }
    let replies = await nodes.ask(.takeBackSpread(number), isOrder: true)
    let counts = replies.answers.values.filter { $0 != .nothing }
    guard own != nil || !counts.isEmpty || !replies.missing.isEmpty else { return nil }
    return Reached(sessions: (own ?? 0) + replies.sum, missing: nodes.names(of: replies.missing))
  }

  func takeBackSpreadHere(_ number: UInt64) async -> Int? {
    var spared: Int?
    for table in tables {
      guard let count = await table.perform({ $0.takeBackSpread(number) }) else { continue }
      spared = (spared ?? 0) + count
    }
    return spared
  }

  /// The orders under way, the oldest first.
  package func spreadsUnderWay() async -> [SpreadOrder.Progress] {
    var orders: [UInt64: SpreadOrder.Progress] = [:]
    for table in tables {
      for part in await table.perform({ $0.spreads.map(\.progress) }) {
        guard var known = orders[part.order] else {
          orders[part.order] = part
          continue
        }
        known.waiting += part.waiting
        known.left = max(known.left, part.left)
        orders[part.order] = known
      }
    }
    return orders.values.sorted { $0.order < $1.order }
  }
}

extension LoopTable {
  static let spreadsMax = 16

  /// Begins the loop's share of an order. Its turns lie at `share` of the steps between them, so that the turns of all loops
  /// are evenly spread. Only on the loop.
  func spread(_ order: SpreadOrder, _ share: Double, number: UInt64) -> (count: Int, over: Duration) {
    let (now, wall) = (loop.now, loop.wallTime)
    let (from, before) = (now + (order.from - wall), now + (order.before - wall))
    let chosen = spreads.reduce(into: Set<UInt64>()) { $0.formUnion($1.waiting) }
    var meant: [(serial: UInt64, expiry: Instant, ask: Instant)] = []
    for connection in connections(in: order.sessions) where !chosen.contains(connection.id.serial) {
      guard let times = connection.dueTimes, times.expiry >= from, times.expiry < before else { continue }
      meant.append((connection.id.serial, times.expiry, times.ask))
    }
    // The order is that in which they would be asked anyway.
    meant.sort { ($0.ask, $0.serial) < ($1.ask, $1.serial) }
    guard let first = meant.first else { return (0, .zero) }
    let over = max(.zero, min(order.over ?? .nanoseconds(Int64.max), first.ask - now))
    let step = Double(over.nanoseconds) / Double(meant.count)
    let turns = meant.enumerated().map { place, session in
      WaveSpreader.Turn(
        serial: session.serial, expiry: session.expiry,
        at: now + .nanoseconds(Int64(min((Double(place) + share) * step, 9e18))))
    }
    let spreader = WaveSpreader(turns, of: number, on: self)
    spreads.append(spreader)
    spreader.start()
    return (turns.count, over)
  }

  /// Ends the loop's share of the order of that number. Returns how many sessions are spared; nil if it has none. Only on
  /// the loop.
  func takeBackSpread(_ number: UInt64) -> Int? {
    guard let place = spreads.firstIndex(where: { $0.order == number }) else { return nil }
    return spreads.remove(at: place).stop()
  }
}
