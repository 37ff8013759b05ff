internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import Synchronization

// The end of a gateway with webhooks that wait.

extension WebhookSender {
  /// The time in which the last rows must be written.
  private static let writePatience = Duration.seconds(2)

  /// Waits until every webhook is delivered or given up, for at most `patience`; later ones are not sent. Then has the rest
  /// stored, where the store outlives the process. Returns the number of webhooks that were not delivered in time.
  @discardableResult
  package func finish(within patience: Duration) async -> Int {
    guard rows?.isIdle == false || !state.withLock({ $0.queue.isIdle }) else {
      state.withLock { $0.hasEnded = true }
      return 0
    }
    return await stage.perform {
      guard let loop = EventLoop.current?.transport else { return 0 }
      _ = await TimedAnswer.of(on: loop, until: loop.now + patience, orElse: false) { answer in
        let isIdle = self.state.withLock { state in
          guard !state.queue.isIdle else { return true }
          state.idle = answer
          return false
        }
        if isIdle { answer(true) }
      }
      self.state.withLock { $0.hasEnded = true }
      await self.writeRest(on: loop)
      return self.countRest()
    }
  }

  private nonisolated(nonsending) func writeRest(on loop: EventLoop) async {
    guard let rows else { return }
    let end = loop.now + Self.writePatience
    for isLast in [false, true] {
      if isLast { rows.end() }
      writeSoon()
      _ = await TimedAnswer.of(on: loop, until: end, orElse: false) { rows.whenWritten($0) }
    }
  }

  private func countRest() -> Int {
    let kept = rows?.kept ?? [:]
    let (left, vendors) = state.withLock { state in
      (state.queue.waiting + state.queue.inFlight, state.queue.vendors)
    }
    var (unsent, stored) = (0, 0)
    for (vendor, count) in vendors {
      let here = min(kept[vendor] ?? 0, count)
      (unsent, stored) = (unsent + count - here, stored + here)
      state.withLock { state in
        state.counts.count(.unsent, of: vendor.text, UInt64(count - here))
        state.counts.count(.kept, of: vendor.text, UInt64(here))
      }
    }
    let log = gateway.configuration.log
    if unsent > 0 { log?.note(.warning, "webhooks_unsent", ["webhooks": String(unsent)]) }
    if stored > 0 { log?.note(.info, "webhooks_kept", ["webhooks": String(stored)]) }
    return left
  }
}
