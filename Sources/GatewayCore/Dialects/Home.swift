/// The executor of a vendor's data: one loop of the gateway. A command or an HTTP request runs there from beginning to
/// end. Its task therefore leaves the loop of its connection once and returns once, regardless of how often the vendor
/// calls its store and its actors in between.
///
/// A chat message on four loops, with the speaker on loop 2 and the data on loop 0:
/// 1. Loop 2 reads the frame, decodes it and begins the command in the connection's lane.
/// 2. ``run(_:)`` enqueues the task on loop 0. There it takes the channel's turn, reads, commits and counts the unread
///    messages, without another queue, since all of these share the executor.
/// 3. The announcement is put into the inbox of every loop before the turn is given back.
/// 4. The task is enqueued on loop 2. It answers the speaker, then delivers the messages held back behind the answer.
package actor Home {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  package nonisolated let executor: any (SerialExecutor & TaskExecutor)

  package init(on executor: any (SerialExecutor & TaskExecutor)) {
    self.executor = executor
  }

  /// Runs `body` on the executor, for a task that prefers ``executor``. If the task prefers another executor, each of
  /// its suspensions resumes through that one.
  package func run<Answer: Sendable>(_ body: nonisolated(nonsending) @Sendable () async -> Answer) async -> Answer {
    await body()
  }

  /// Runs `body` on the executor in a task of its own, or immediately if the caller is already there.
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
  /// Returns the same resource with its handler running on `home`.
  package func answered(at home: Home) -> HTTPRoute {
    // Without a capture list: a closure that has one leaves its caller's executor.
    let handler = handler
    return answered { request, parameters in await home.perform { await handler(request, parameters) } }
  }
}
