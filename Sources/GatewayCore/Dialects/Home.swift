/// The executor on which a vendor's data lives: one loop of the gateway. A command or an HTTP request runs there from its
/// beginning to its end, so that its task leaves the loop of its connection once and comes back once, however often the
/// vendor asks its store and its actors in between.
///
/// A chat message on four loops, its speaker on loop 2, the data on loop 0:
/// 1. Loop 2 reads the frame, decodes it and begins the command in the connection's lane.
/// 2. ``run(_:)`` enqueues the task on loop 0. There it takes the channel's turn, reads, commits and counts what is
///    unread, without another queue, since all of these share the executor.
/// 3. The announcement goes into the inbox of every loop before the turn is given back.
/// 4. The task is enqueued on loop 2. It answers the speaker, then delivers what was held back behind the answer.
package actor Home {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package nonisolated let executor: any (SerialExecutor & TaskExecutor)

  package init(on executor: any (SerialExecutor & TaskExecutor)) {
    self.executor = executor
  }

  /// Runs `body` here, for a task that prefers ``executor``. If a task prefers another executor, each of its waits comes
  /// back through that.
  package func run<Answer: Sendable>(_ body: nonisolated(nonsending) @Sendable () async -> Answer) async -> Answer {
    await body()
  }

  /// Runs `body` here in a task of its own, or at once if the caller is on this executor.
  package nonisolated(nonsending) func perform<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) async -> Answer {
    if executor.isIsolatingCurrentContext() == true { return await body() }
    return await withCheckedContinuation { continuation in
      Task(executorPreference: executor) { await self.run { continuation.resume(returning: await body()) } }
    }
  }
}

extension HTTPRoute {
  /// The same resource, whose requests are answered on `home`.
  package func answered(at home: Home) -> HTTPRoute {
    // Not by a capture list: a closure that has one leaves its caller's executor.
    let handler = handler
    return answered { request, parameters in await home.perform { await handler(request, parameters) } }
  }
}
