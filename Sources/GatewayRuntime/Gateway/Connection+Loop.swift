internal import GatewayCore

// Access to a connection's isolated state for code that runs on its loop.

extension Connection {
  /// Does `body` as the connection's own code, which the caller is on the loop for. What `assumeIsolated(_:)` does, but for
  /// how it makes sure: the loop is asked whether it is this thread's, where the runtime compares executors in hundreds of
  /// steps.
  nonisolated func onLoop<Answer>(_ body: (isolated Connection) throws -> Answer) rethrows -> Answer {
    table.loop.preconditionOnLoop()
    return try withoutActuallyEscaping(body) { body in
      try unsafeBitCast(body, to: ((Connection) throws -> Answer).self)(self)
    }
  }

  // The two entry points of every refresh, for code on the loop. ``onLoop(_:)`` makes a function of each closure, which
  // costs two allocations.

  nonisolated func receiveOnLoop(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    table.loop.preconditionOnLoop()
    Self.entries.received(self, payload, kind)
  }

  nonisolated func passDeadlineOnLoop() {
    table.loop.preconditionOnLoop()
    Self.entries.passedDeadline(self)
  }

  /// The connection's functions as closures that any thread may call, created once.
  private struct Entries: Sendable {
    let received: @Sendable (Connection, UnsafeRawBufferPointer, Frame.Kind) -> Void
    let passedDeadline: @Sendable (Connection) -> Void

    init() {
      let receive: @Sendable (isolated Connection, UnsafeRawBufferPointer, Frame.Kind) -> Void = { $0.received($1, $2) }
      let pass: @Sendable (isolated Connection) -> Void = { $0.passDeadline() }
      received = unsafeBitCast(receive, to: (@Sendable (Connection, UnsafeRawBufferPointer, Frame.Kind) -> Void).self)
      passedDeadline = unsafeBitCast(pass, to: (@Sendable (Connection) -> Void).self)
    }
  }

  private static let entries = Entries()
}
