internal import GatewayCore

/// The traces of one loop: what is recorded, and the spans that wait to be sent.
///
/// `@unchecked Sendable`: touched only on its loop.
package final class LoopTraces: @unchecked Sendable {
  package let loop: EventLoop
  let settings: TraceSettings
  private var generator: SeededGenerator
  private var ring = SpanRing()
  /// The limit on traces that callers choose.
  private var callers: TokenBucket
  /// The limit on failures outside of recorded traces.
  private var failures: TokenBucket
  private var places: [UInt64: Place] = [:]
  /// Called each time when as many spans as one request takes wait.
  package var whenMany: (@Sendable () -> Void)?

  /// The operations of one connection.
  private struct Place {
    /// Its login.
    var login: SpanRecord.Link?
    /// The login or refresh under way.
    var operation: TraceOperation?
  }

  /// The number of spans that one request takes.
  package static let batchMax = 512
  /// A caller can mark each request as recorded, or choose the trace's number, so what it wants is limited; for all loops.
  private static let callersPerSecond = 100.0
  private static let failuresPerSecond = 10.0

  package init(_ settings: TraceSettings, on loop: EventLoop) {
    self.settings = settings
    self.loop = loop
    generator = SeededGenerator(seed: settings.seed &+ UInt64(truncatingIfNeeded: loop.index))
    let loops = Double(max(1, settings.loops))
    let (calls, errors) = (Self.callersPerSecond / loops, Self.failuresPerSecond / loops)
    callers = TokenBucket(rate: calls, capacity: max(1, calls), at: loop.now)
    failures = TokenBucket(rate: errors, capacity: max(1, errors), at: loop.now)
  }

  // MARK: Operations

  /// Begins an operation that a request asks for, as part of the request's trace if it names one.
  func begin(_ name: String, for request: HTTPRequest, dialect: String) -> TraceOperation {
    let theirs = TraceContext(of: request)
    let isSampled =
      theirs.map { takes($0, fromProxy: request.cameByProxy) } ?? false
    var root: SpanRecord
    if let theirs {
      let own = TraceContext(theirs.trace, below: theirs.parent, isSampled: isSampled, state: theirs.state)
      root = SpanRecord(
        name, .server, in: own, numbered: newSpan(), below: theirs.parent, isRemote: true, at: loop.rightWallTime)
    } else {
      root = newRoot(name, .server)
    }
    (root.method, root.dialect) = (request.method, dialect)
    return TraceOperation(root, of: self)
  }

  /// Begins an operation in a trace of its own.
  package func begin(_ name: String, _ kind: SpanRecord.Kind, dialect: String?) -> TraceOperation {
    var root = newRoot(name, kind)
    root.dialect = dialect
    return TraceOperation(root, of: self)
  }

  /// Begins a span of a question to another server, below the operation that the task is part of.
  package func ask(_ name: String, method: String, of server: String) -> OutboundSpan {
    ask(name, method: method, of: server, in: TraceScope.current)
  }

  /// Begins a span of a question to another server, below an operation; in a trace of its own without one.
  package func ask(_ name: String, method: String, of server: String, in scope: TraceScope?) -> OutboundSpan {
    OutboundSpan(name, method, server, in: scope, of: self)
  }

  private func newRoot(_ name: String, _ kind: SpanRecord.Kind) -> SpanRecord {
    let (trace, span) = (newTrace(), newSpan())
    let context = TraceContext(trace, below: span, isSampled: settings.takesIn(trace))
    return SpanRecord(name, kind, in: context, numbered: span, below: 0, at: loop.rightWallTime)
  }

  func newRootSpan(_ name: String, _ kind: SpanRecord.Kind) -> SpanRecord { newRoot(name, kind) }

  /// Returns whether a caller's trace is recorded.
  private func takes(_ theirs: TraceContext, fromProxy isTrusted: Bool) -> Bool {
    guard !isTrusted else { return theirs.isSampled }
    return (theirs.isSampled || settings.takesIn(theirs.trace)) && callers.take(at: loop.now)
  }

  /// Returns whether a failure is recorded although its trace is not.
  func takesFailure() -> Bool { failures.take(at: loop.now) }

  private func newTrace() -> TraceID {
    while true {
      if let trace = TraceID(high: generator.next(), low: generator.next()) { return trace }
    }
  }

  func newSpan() -> UInt64 {
    while true {
      let span = generator.next()
      if span != 0 { return span }
    }
  }

  // MARK: Connections

  /// A connection is open whose upgrade began `operation`.
  func hold(_ operation: TraceOperation, for connection: UInt64) {
    places[connection, default: Place()].operation = operation
  }

  /// Returns the operation that a client's token begins, or that goes on with it.
  func operation(of connection: UInt64, isRefresh: Bool, dialect: String) -> TraceOperation {
    let place = places[connection] ?? Place()
    if !isRefresh, let operation = place.operation, !operation.hasEnded { return operation }
    var root = newRoot(isRefresh ? "refresh" : "connect", .server)
    (root.dialect, root.link) = (dialect, place.login)
    let operation = TraceOperation(root, of: self)
    places[connection] = Place(login: place.login, operation: operation)
    return operation
  }

  /// Returns an operation of the gateway's own about a session's token.
  package func refresh(of connection: UInt64, dialect: String) -> TraceOperation {
    var root = newRoot("refresh", .own)
    (root.dialect, root.link) = (dialect, places[connection]?.login)
    return TraceOperation(root, of: self)
  }

  /// Notes what a session did.
  func note(_ record: SessionRecord, of connection: UInt64, _ user: UserID?) {
    guard let operation = places[connection]?.operation else { return }
    switch record {
    case .ended(let reason): operation.end(reason)
    case .loggedIn where operation.isJudged:
      places[connection]?.login = operation.link
      operation.end(status: operation.isUpgrade ? 101 : nil, user: user)
    case .loginRefused(let error) where operation.isJudged, .refreshRefused(let error) where operation.isJudged:
      // A later attempt belongs to the same connection.
      if places[connection]?.login == nil { places[connection]?.login = operation.link }
      operation.end(error, user: user)
    case .refreshed where operation.isJudged: operation.end(user: user)
    case .loggedIn, .loginRefused, .refreshRefused, .refreshed, .refreshRequested, .malformed: return
    }
    places[connection]?.operation = nil
  }

  /// A connection has ended.
  func forget(_ connection: UInt64) {
    guard let place = places.removeValue(forKey: connection) else { return }
    place.operation?.end(.connectionLost)
  }

  // MARK: Spans

  func write(_ record: SpanRecord) {
    ring.write(record)
    if ring.count == Self.batchMax { whenMany?() }
  }

  /// Removes and returns the oldest spans, at most that many, and the number that have been dropped since the last call.
  package func take(_ limit: Int) -> (spans: [SpanRecord], dropped: UInt64) {
    (ring.take(limit), ring.takeDropped())
  }

  /// The number of spans that wait to be sent.
  package var waiting: Int { ring.count }
}
