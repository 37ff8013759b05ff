package import GatewayCore

/// The connections that an operator watches and gives orders to, of a gateway or of a proxy in front of one.
package protocol Controllable: AnyObject, Sendable {
  /// The loop of the journal.
  var controlLoop: EventLoop { get }

  /// The journal; nil if none is kept. Only on its loop.
  var journal: Journal? { get }

  /// The names of the wire formats.
  var dialectNames: [String] { get }

  /// Logs an order for the operator. Only on the loop.
  func log(_ level: LogLevel, _ name: String, _ fields: @autoclosure () -> [LogEvent.Field])

  /// Returns at most `limit` sessions that match `choice`, in the order of their names, after `last` if that is given.
  func sessions(_ choice: SessionChoice, after last: ConnectionID?, limit: Int) async -> [SessionSummary]

  /// Returns one session; nil if there is none of that name.
  func session(_ id: ConnectionID) async -> SessionSummary?

  /// Gives an operator's event to sessions, on every node. Returns which those are; nil if there is no such connection.
  func reach(_ target: OrderTarget, _ event: SessionEvent) async throws(GatewayError) -> Reached?

  /// Sends an operator's message to connections, on every node. Returns nil if there is no such connection.
  func say(_ saying: Saying, to target: OrderTarget) async throws(GatewayError) -> SayingsDone?
}

extension Gateway: Controllable {
  package var controlLoop: EventLoop { tables[0].loop }

  package var dialectNames: [String] { bindings.map(\.dialect.name) }
}

extension Controllable {
  /// Gives an operator's event to every connection of the user. Returns how many those are.
  package func control(_ user: UserID, _ event: SessionEvent) async throws(GatewayError) -> Int {
    try await reach(.user(user), event)?.sessions ?? 0
  }

  /// Gives an operator's event to one connection. Returns false if there is no such connection.
  package func control(_ id: ConnectionID, _ event: SessionEvent) async throws(GatewayError) -> Bool {
    try await reach(.connection(id), event) != nil
  }

  /// Gives an operator's event to every connection. Returns how many there are.
  package func controlAll(_ event: SessionEvent) async throws(GatewayError) -> Int {
    try await reach(.everybody, event)?.sessions ?? 0
  }

  /// Waits until the journal has `count` lines that are meant, `limit` of the network's time at most. Throws
  /// `GatewayError.notFound` if none is kept, `GatewayError.tooMany` if too many wait.
  package func wait(
    for query: Journal.Query, count: Int, within limit: Duration
  ) async throws(GatewayError) -> Journal.Outcome {
    let outcome: Result<Journal.Outcome, GatewayError> = await withCheckedContinuation { continuation in
      controlLoop.execute { [self] in
        do throws(GatewayError) {
          guard let journal else { throw .notFound.detailed("the gateway keeps no journal") }
          _ = try journal.wait(for: query, count: count, within: limit) { continuation.resume(returning: .success($0)) }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }
}
