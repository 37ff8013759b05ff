/// An actor without state, pinned to a loop: it runs async work that belongs to no connection, e.g. the feed of the
/// dashboard.
package actor LoopStage {
  private nonisolated let loop: EventLoop

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  package init(loop: EventLoop) {
    self.loop = loop
  }

  /// Begins `body` on the loop, after what is queued there. From any thread.
  package nonisolated func start(_ body: nonisolated(nonsending) @escaping @Sendable () async -> Void) {
    loop.execute { _ = self.begin(body) }
  }

  /// Does `body` on the loop, and returns what it returns.
  package nonisolated(nonsending) func perform<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: await body()) }
    }
  }

  /// Begins `body` at once, as a task that may be cancelled. Only on the loop.
  package nonisolated func begin<Answer: Sendable>(
    _ body: nonisolated(nonsending) @escaping @Sendable () async -> Answer
  ) -> Task<Answer, Never> {
    assumeIsolated { stage in Task.immediate(executorPreference: loop) { await stage.run(body) } }
  }

  private func run<Answer>(_ body: nonisolated(nonsending) @Sendable () async -> Answer) async -> Answer {
    await body()
  }
}
