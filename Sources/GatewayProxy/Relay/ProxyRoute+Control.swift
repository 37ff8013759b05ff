package import GatewayCore
package import GatewayRuntime
internal import GatewayWires

// The proxy as an operator sees it. Only on its loop.

extension ProxyRoute: Controllable {
  package var controlLoop: EventLoop { loop }

  package var journal: Journal? { control?.journal }

  package var dialectNames: [String] { [control?.wireName ?? BlindWire.name] }

  package func log(_ level: LogLevel, _ name: String, _ fields: @autoclosure () -> [LogEvent.Field]) {
    control?.log.write(level, name, fields())
  }

  package func sessions(
    _ choice: SessionChoice, after last: ConnectionID?, limit: Int
  ) async -> [SessionSummary] {
    loop.preconditionOnLoop()
    var summaries: [SessionSummary] = []
    for serial in connections.keys.sorted() where summaries.count < limit {
      guard let summary = connections[serial]?.summary, summary.id.rawValue > last?.rawValue ?? 0,
        takesIn(summary, choice)
      else { continue }
      summaries.append(summary)
    }
    return summaries
  }

  private func takesIn(_ summary: SessionSummary, _ choice: SessionChoice) -> Bool {
    if let user = choice.user, summary.user != user { return false }
    guard choice.from != nil || choice.before != nil else { return true }
    guard let end = summary.expiresIn.map({ loop.wallTime + $0 }) else { return false }
    return choice.from.map { end >= $0 } ?? true && choice.before.map { end < $0 } ?? true
  }

  package func session(_ id: ConnectionID) async -> SessionSummary? { connection(id)?.summary }

  private func connection(_ id: ConnectionID) -> ProxiedConnection? {
    loop.preconditionOnLoop()
    return id.loop == loop.index ? connections[id.serial] : nil
  }

  package func reach(_ target: OrderTarget, _ event: SessionEvent) async throws(GatewayError) -> Reached? {
    try check(event)
    switch target {
    case .user(let user):
      guard control?.wire != nil else { throw Self.userless }
      return Reached(sessions: give(event, to: open.filter { $0.summary?.user == user }))
    case .connection(let id):
      guard let connection = connection(id), connection.summary != nil, give(event, to: [connection]) == 1 else {
        return nil
      }
      return Reached(sessions: 1)
    case .everybody: return Reached(sessions: give(event, to: open))
    }
  }

  private var open: [ProxiedConnection] {
    loop.preconditionOnLoop()
    return connections.keys.sorted().compactMap { connections[$0] }.filter { $0.summary != nil }
  }

  /// Returns how many connections the event has reached.
  private func give(_ event: SessionEvent, to connections: [ProxiedConnection]) -> Int {
    let isForToken = event == .expireNow || event == .askForRefresh
    let meant = connections.filter { !isForToken || $0.canAsk }
    for connection in meant { connection.control(event) }
    return meant.count
  }

  package func say(_ saying: Saying, to target: OrderTarget) async throws(GatewayError) -> SayingsDone? {
    try check(saying)
    switch target {
    case .everybody: return say(saying, to: open)
    case .user(let user):
      guard control?.wire != nil else { throw Self.userless }
      return say(saying, to: open.filter { $0.summary?.user == user })
    case .connection(let id):
      guard let connection = connection(id), connection.summary != nil else { return nil }
      return say(saying, to: [connection])
    }
  }

  private func say(_ saying: Saying, to connections: [ProxiedConnection]) -> SayingsDone {
    var done = SayingsDone()
    for connection in connections {
      if connection.say(saying, to: connection.client) { done.told += 1 } else { done.wordless += 1 }
    }
    return done
  }

  private func check(_ saying: Saying) throws(GatewayError) {
    if saying == .refreshRequest { try check(SessionEvent.askForRefresh) }
  }

  private static let userless = GatewayError.needsWire.detailed(
    "whose a connection is is not known; name a session, or all")

  private func check(_ event: SessionEvent) throws(GatewayError) {
    guard event == .expireNow || event == .askForRefresh else { return }
    guard let wire = control?.wire else {
      throw .needsWire.detailed(
        "it cannot ask for a token in the gateway's words; use --wire, or tokens of a few seconds")
    }
    guard wire.asksForTokens else {
      throw .clockIsReal.detailed("clients of \(wire.name) renew on a timer of their own; use tokens of a few seconds")
    }
  }
}
