internal import GatewayCore

/// Waits for the answers to rings: who has given none when the call's `missed_call_timeout_ms` has passed has missed it.
package actor StreamCallRinger {
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let executor: any (SerialExecutor & TaskExecutor)
  private let calls: StreamCalls
  private var underWay = 0

  /// - Parameters:
  ///   - executor: One that `GatewayServices.sleep(for:)` may be called from: a loop of the gateway.
  ///   - calls: Whose rings it watches.
  package init(on executor: any (SerialExecutor & TaskExecutor), calls: StreamCalls) {
    self.executor = executor
    self.calls = calls
  }

  /// Begins to wait, and returns at once.
  func wait(for users: Set<UserID>, of call: StreamCall, session: String) {
    let timeout = StreamCallSettings(of: call).number("ring.missed_call_timeout_ms") ?? 0
    guard timeout > 0, !users.isEmpty, underWay < calls.policy.ringsMax else { return }
    underWay += 1
    Task.immediate(executorPreference: executor) {
      await self.calls.services.sleep(for: .milliseconds(timeout))
      await self.end(users, call.id, session)
    }
  }

  private func end(_ users: Set<UserID>, _ call: CallID, _ session: String) async {
    defer { underWay -= 1 }
    let now = calls.services.wallTime
    // A call that was deleted meanwhile is missed by nobody.
    _ = try? await calls.change(call, by: nil, at: now) { $0.miss(users, of: session, at: now) }
  }
}
