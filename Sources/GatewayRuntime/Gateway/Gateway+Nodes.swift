package import GatewayCore

// The requests between the nodes of a gateway.

/// The number of sessions that an order reached, and the nodes that it perhaps did not reach.
package struct Reached: Hashable, Sendable {
  package var sessions: Int
  /// The names of nodes that did not answer in time.
  package var missing: [String] = []

  package init(sessions: Int, missing: [String] = []) {
    (self.sessions, self.missing) = (sessions, missing)
  }
}

extension Gateway: BusReceiver {
  package func receive(_ message: BusMessage, from sender: NodeBoot) {
    guard let nodes else { return }
    switch message {
    case .announcement(let announcement): tell(announcement)
    case .note(let note): if sender != nodes.life { nodes.heard(note) }
    case .answer(let asker, let number, let answer):
      if asker == nodes.life { nodes.take(answer, from: sender, to: number) }
    case .question(let number, let question):
      if let owner = question.owner, owner != nodes.life { return }
      if sender == nodes.life, !nodes.wantsOwn(number) { return }
      Task.immediate(executorPreference: tables[0].loop) {
        let answer = await self.answer(to: question)
        if sender == nodes.life {
          nodes.take(answer, from: sender, to: number)
        } else {
          nodes.bus.send(.answer(sender, number, answer))
        }
      }
    }
  }

  package func missed() { nodes?.missed() }

  /// Answers for the sessions of this process.
  private func answer(to question: BusQuestion) async -> BusAnswer {
    do throws(GatewayError) {
      switch question {
      case .connected(let users): return .users(await connectedHere(of: users).sorted())
      case .sessionCount(let dialect): return .count(await sessionCountHere(of: dialect))
      case .sessions: return .count(await sessionsHere())
      case .user(let connection): return .users(await user(of: connection).map { [$0] } ?? [])
      case .watch(let call, let connection): return .count(await watch(call, by: connection) ? 1 : 0)
      case .unwatch(let call, let connection):
        await unwatch(call, by: connection)
        return .count(1)
      case .audience(let call): return .users(await audienceHere(of: call).sorted())
      case .hearers(let call): return .count(await hearersOnLoops(of: call))
      case .control(let sessions, let order): return .count(await controlHere(sessions, order.event))
      case .order(let target, let order): return .count(try await controlHere(target, order.event) ?? 0)
      case .revoke(let target, let isEnding): return .count(try await revokeHere(target, isEnding: isEnding))
      case .covered(let target, let order): return .count(await controlHere(target, order.event))
      case .say(let target, let saying):
        return await sayHere(saying, to: target).map { .said(told: $0.told, wordless: $0.wordless) } ?? .nothing
      case .horizon:
        let (reading, begin) = await horizon()
        return .horizon(reading, at: begin)
      case .spread(let order, let number):
        let outcome = try await spreadHere(order, number: number)
        return .spread(sessions: outcome.sessions, over: outcome.over)
      case .takeBackSpread(let number): return await takeBackSpreadHere(number).map { .count($0) } ?? .nothing
      case .request(let request): return await nodes?.control?(request).map { .response($0) } ?? .failed
      }
    } catch {
      return .failed
    }
  }

  /// Whether it is one of several nodes.
  package var hasNodes: Bool { nodes != nil }

  /// Waits until the clients have received everything announced so far, at most a second; returns at once without other
  /// nodes.
  package func settle() async { await nodes?.bus.settle() }

  /// The number of logged-in sessions of each node that answers in time; of this one alone without others.
  package func sessionsByNode() async -> [NodeBoot: Int] {
    let here = await [configuration.life: sessionsHere()]
    guard let nodes else { return here }
    return await nodes.ask(.sessions).answers.reduce(into: here) { counts, reply in
      if case .count(let count) = reply.value { counts[reply.key] = count }
    }
  }

  // MARK: Orders

  /// Has every node carry out an order, this one too. Returns what they reached.
  ///
  /// - Parameter isForAll: Whether it is an order that goes to every node also where this one is asked alone.
  func everywhere(
    _ question: BusQuestion, isForAll: Bool = false,
    _ here: nonisolated(nonsending) () async throws(GatewayError) -> Int
  ) async throws(GatewayError) -> Reached {
    guard let nodes, isForAll || !NodeScope.isHere else { return Reached(sessions: try await here()) }
    var replies = await nodes.ask(question, alsoHere: true)
    var own = 0
    // If this node refuses the order, or cannot perform it, the error says why. Performing it again changes nothing.
    if replies.missing.remove(nodes.life) != nil { own = try await here() }
    return Reached(sessions: replies.sum + own, missing: nodes.names(of: replies.missing))
  }

  package func reach(_ target: OrderTarget, _ event: SessionEvent) async throws(GatewayError) -> Reached? {
    guard let nodes, !NodeScope.isHere, let order = SessionOrder(event) else {
      return try await controlHere(target, event).map { Reached(sessions: $0) }
    }
    if case .connection(let id) = target {
      // Earlier announcements to it come before the order.
      await nodes.bus.settle()
      if table(of: id) != nil { return try await controlHere(target, event).map { Reached(sessions: $0) } }
      let replies = await nodes.ask(.order(target, order))
      guard replies.missing.isEmpty else { return Reached(sessions: 0, missing: nodes.names(of: replies.missing)) }
      return replies.sum > 0 ? Reached(sessions: replies.sum) : nil
    }
    return try await everywhere(.order(target, order)) { () async throws(GatewayError) in
      try await self.controlHere(target, event) ?? 0
    }
  }

  // MARK: The sessions of this process

  func connectedHere(of users: [UserID]) async -> Set<UserID> {
    var connected: Set<UserID> = []
    for table in tables {
      let others = users.filter { !connected.contains($0) }
      guard !others.isEmpty else { break }
      connected.formUnion(await table.perform { table in others.filter(table.isConnected) })
    }
    return connected
  }

  func sessionCountHere(of dialect: String) async -> Int {
    await phasesByDialect().first { $0.dialect == dialect }.map { Self.loggedIn($0.counts) } ?? 0
  }

  private func sessionsHere() async -> Int {
    await phasesByDialect().reduce(0) { $0 + Self.loggedIn($1.counts) }
  }

  private static func loggedIn(_ counts: [(phase: Session.PhaseKind, count: UInt64)]) -> Int {
    let phases: [Session.PhaseKind] = [.active, .refreshing, .verifyingRefresh, .draining]
    return counts.reduce(0) { $0 + (phases.contains($1.phase) ? Int($1.count) : 0) }
  }

  func hearersOnLoops(of call: CallID) async -> Int {
    var count = 0
    for table in tables { count += await table.perform { $0.hearers(of: call) } }
    return count
  }

  func audienceHere(of call: CallID) async -> Set<UserID> {
    var users: Set<UserID> = []
    for table in tables { users.formUnion(await table.perform { $0.users(in: call) }) }
    return users
  }

  func controlHere(_ sessions: SessionFilter, _ event: SessionEvent) async -> Int {
    await sum(over: sessions) { table in
      let meant = table.connections(in: sessions)
      LoopTable.inSlices(meant, on: table.loop) { $0.control(event) }
      return meant.count
    }
  }
}
