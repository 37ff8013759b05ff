package import GatewayCore
package import GatewayRuntime

// The proxy as an operator sees it. Only on its loop.

extension ProxyRoute: Controllable {
  package var controlLoop: EventLoop { loop }

  package var journal: Journal? { control?.journal }

  package var dialectNames: [String] { [BlindWire.name] }

  package func log(_ level: LogLevel, _ name: String, _ fields: @autoclosure () -> [LogEvent.Field]) {
    control?.log.write(level, name, fields())
  }

  package func sessions(
    _ choice: SessionChoice, after last: ConnectionID?, limit: Int
  ) async -> [SessionSummary] {
    loop.preconditionOnLoop()
    // Nobody knows a connection's user or token here.
    guard choice.user == nil, choice.from == nil, choice.before == nil else { return [] }
    var summaries: [SessionSummary] = []
    for serial in connections.keys.sorted() where summaries.count < limit {
      guard let summary = connections[serial]?.summary, summary.id.rawValue > last?.rawValue ?? 0 else { continue }
      summaries.append(summary)
    }
    return summaries
  }

  package func session(_ id: ConnectionID) async -> SessionSummary? { connection(id)?.summary }

  private func connection(_ id: ConnectionID) -> ProxiedConnection? {
    loop.preconditionOnLoop()
    return id.loop == loop.index ? connections[id.serial] : nil
  }

  package func control(_ user: UserID, _ event: SessionEvent) async throws(GatewayError) -> Int {
    try Self.check(event)
    throw .needsWire.detailed("whose a connection is is not known; name a session, or all")
  }

  package func control(_ id: ConnectionID, _ event: SessionEvent) async throws(GatewayError) -> Bool {
    try Self.check(event)
    guard let connection = connection(id), connection.summary != nil else { return false }
    connection.control(event)
    return true
  }

  package func controlAll(_ event: SessionEvent) async throws(GatewayError) -> Int {
    loop.preconditionOnLoop()
    try Self.check(event)
    let open = connections.keys.sorted().compactMap { connections[$0] }.filter { $0.summary != nil }
    for connection in open { connection.control(event) }
    return open.count
  }

  private static func check(_ event: SessionEvent) throws(GatewayError) {
    switch event {
    case .expireNow, .askForRefresh:
      throw .needsWire.detailed("it cannot ask for a token in the gateway's words; use tokens of a few seconds")
    default: break
    }
  }
}
