package import GatewayCore

// MARK: - What a dialect's HTTP side asks

extension Gateway: GatewayServices {
  /// The table of the loop the caller is on: time and chance are a loop's own, so only its callers may ask.
  var currentTable: LoopTable {
    guard let loop = EventLoop.current else { preconditionFailure("only from a loop of the gateway") }
    return tables[loop.index]
  }

  package var wallTime: WallTime { currentTable.loop.wallTime }

  package func isConnected(_ user: UserID) async -> Bool {
    await connected(of: [user]).contains(user)
  }

  package func connected(of users: [UserID]) async -> Set<UserID> {
    var connected = await connectedHere(of: users)
    let others = users.filter { !connected.contains($0) }
    guard let nodes, !others.isEmpty else { return connected }
    connected.formUnion(await nodes.ask(.connected(others)).users)
    return connected
  }

  package func sessionCount(of dialect: String) async -> Int {
    let here = await sessionCountHere(of: dialect)
    guard let nodes else { return here }
    return await here + nodes.ask(.sessionCount(dialect: dialect)).sum
  }

  package func user(of connection: ConnectionID) async -> UserID? {
    if let table = table(of: connection) { return await table.perform { $0.connection(connection)?.user } }
    guard let nodes else { return nil }
    return await nodes.ask(.user(connection)).users.first
  }

  package func watch(_ call: CallID, by connection: ConnectionID) async -> Bool {
    if let table = table(of: connection) {
      return await table.perform { $0.connection(connection)?.watch(call) ?? false }
    }
    guard let nodes else { return false }
    return await nodes.ask(.watch(call, connection)).sum == 1
  }

  package func unwatch(_ call: CallID, by connection: ConnectionID) async {
    if let table = table(of: connection) { return await table.perform { $0.connection(connection)?.unwatch(call) } }
    _ = await nodes?.ask(.unwatch(call, connection))
  }

  package func hearers(of call: CallID) async -> Int {
    let here = await hearersOnLoops(of: call)
    guard let nodes else { return here }
    return await here + nodes.ask(.hearers(call)).sum
  }

  package func hearersHere(of call: CallID) -> Int { currentTable.hearers(of: call) }

  package func audience(of call: CallID) async -> [UserID] {
    var users = await audienceHere(of: call)
    if let nodes { users.formUnion(await nodes.ask(.audience(call)).users) }
    return users.sorted()
  }

  package func control(_ sessions: SessionFilter, _ event: SessionEvent) async -> Int {
    guard let nodes, let order = SessionOrder(event) else { return await controlHere(sessions, event) }
    if let named = sessions.connections, named.allSatisfy({ table(of: $0) != nil }) {
      // Earlier announcements to them come before the order.
      await nodes.bus.settle()
      return await controlHere(sessions, event)
    }
    let replies = await nodes.ask(.control(sessions, order), alsoHere: true)
    return replies.missing.contains(nodes.life) ? await replies.sum + controlHere(sessions, event) : replies.sum
  }

  package func tellOthers(_ note: VendorNote) {
    nodes?.bus.send(.note(note))
  }

  package func renew(_ sessions: SessionFilter, with token: VerifiedToken) async -> Int {
    await sum(over: sessions) { table in
      let meant = table.connections(in: sessions)
      for connection in meant { connection.renew(token) }
      return meant.count
    }
  }

  package func refusal(of token: VerifiedToken) async -> GatewayError? {
    await currentTable.perform { $0.refusal(of: token) }
  }

  package func refusal(
    of token: VerifiedToken, shownTo dialect: String, isRefresh: Bool
  ) async -> GatewayError? {
    let objector = self.objector
    return await currentTable.perform { table in
      table.refusal(of: token) ?? objector?.refusal(of: token, shownTo: dialect, isRefresh: isRefresh)
    }
  }

  package func note(_ record: ProviderRecord, for user: UserID) {
    currentTable.journal?.write(JournalEvent(record), of: user)
  }

  package func sleep(for duration: Duration, as purpose: String) async {
    let loop = currentTable.loop
    await loop.sleep(until: loop.now + duration, as: purpose)
  }

  package func nextShare() async -> Double {
    await currentTable.perform { $0.loop.nextShare() }
  }
}
