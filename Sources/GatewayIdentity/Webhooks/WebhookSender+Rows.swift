package import GatewayCore
package import GatewayKit
internal import GatewayRuntime
internal import Synchronization

// Webhooks in the store, which survive the process.

extension WebhookSender {
  /// The time in which changes of rows are gathered. A webhook that is delivered within it needs no row.
  private static let gathering = Duration.milliseconds(10)
  private static let pauseWhileAway = Duration.seconds(1)
  /// The age beyond its vendor's time for all attempts at which a webhook of an earlier process is dropped.
  private static let ageMax = Duration.seconds(86_400)

  /// Begins to write what has changed, unless that is under way.
  func writeSoon() {
    guard let rows, rows.beginsWriting() else { return }
    stage.start { await self.write(rows) }
  }

  private nonisolated(nonsending) func write(_ rows: WebhookRows) async {
    guard let loop = EventLoop.current?.transport else { return }
    await loop.sleep(until: loop.now + Self.gathering, as: "changes of webhooks that wait")
    while !rows.endsWriting() {
      do throws(StoreError) {
        try await rows.write(at: gateway.wallTime)
      } catch {
        // Webhooks are sent from memory meanwhile.
        guard !loop.hasEnded else { return }
        await loop.sleep(until: loop.now + Self.pauseWhileAway, as: "a store that is away")
      }
    }
  }

  // MARK: Of dead processes

  private struct Taken {
    var queued = 0
    var tooOld = 0
    var unreadable = 0
  }

  /// Queues the webhooks that `dead` lives left in the store, before those that are posted later. If rows cannot be read, logs
  /// that and goes on; throws if the store is away.
  package func takeOver(_ dead: DeadBoots, at now: WallTime) async throws(StoreError) {
    guard let rows else { return }
    // What it took now would wait for the next process.
    guard !state.withLock({ $0.hasEnded }) else { throw .unavailable("the process ends") }
    var taken = Taken()
    defer { note(taken) }
    do throws(StoreError) {
      var leftovers = try await rows.claim(dead, at: now)
      do throws(StoreError) {
        while let batch = try await rows.next(of: &leftovers, at: now) {
          try await take(batch, of: rows, counting: &taken, at: now)
        }
      } catch {
        rows.abandon(leftovers)
        throw error
      }
      rows.finish(leftovers)
    } catch {
      guard await rows.isThere(at: now) else { throw error }
      gateway.configuration.log?.note(.warning, "webhooks_unreadable", ["error": error.description])
    }
  }

  private func take(
    _ batch: [WebhookRows.Leftover], of rows: WebhookRows, counting taken: inout Taken, at now: WallTime
  ) async throws(StoreError) {
    let restored = try await restored(batch, at: now)
    let clock = EventLoop.current?.transport.now ?? .zero
    for (row, webhook) in zip(batch, restored) {
      rows.adopt(row)
      guard let kept = row.webhook, let webhook else {
        taken.unreadable += 1
        rows.remove(row.id)
        continue
      }
      let dropped = state.withLock { state -> UInt64? in
        guard now - kept.madeAt <= webhook.rule.span(pausing: Self.pauses.last) + Self.ageMax else {
          taken.tooOld += 1
          state.counts.count(.dropped, of: webhook.vendor)
          rows.remove(row.id)
          return state.log.tells(.dropped, webhook.vendor, 1, at: clock)
        }
        guard case .allowed(let endpoint, let reach) = place(of: webhook, in: &state) else {
          state.counts.count(.notAllowed, of: webhook.vendor)
          rows.remove(row.id)
          return nil
        }
        taken.queued += 1
        state.counts.count(.takenOver, of: webhook.vendor)
        let item = WebhookQueue.Item(
          webhook, to: endpoint, reach: reach, row: row.id, attempts: max(0, min(kept.attempts, Self.attemptsMax)),
          madeAt: kept.madeAt)
        let dropped = add(item, in: &state)
        return dropped == 0 ? nil : state.log.tells(.dropped, webhook.vendor, dropped, at: clock)
      }
      if let dropped { noteDropped(dropped, of: webhook.vendor) }
    }
    if state.withLock({ $0.hasBegun && $0.queue.mayBegin }) { stage.start { self.send() } }
    writeSoon()
  }

  private static let attemptsMax = 1_000_000

  /// Returns the webhooks as their vendors make them again; nil for those without a vendor, or that it does not send.
  private func restored(
    _ batch: [WebhookRows.Leftover], at now: WallTime
  ) async throws(StoreError) -> [Webhook?] {
    var webhooks = [Webhook?](repeating: nil, count: batch.count)
    let places = Dictionary(grouping: batch.indices.filter { batch[$0].webhook != nil }) {
      batch[$0].webhook?.vendor ?? ""
    }
    for (vendor, places) in places {
      guard let restore = state.withLock({ $0.restorers[vendor] }) else { continue }
      let made = try await restore(places.compactMap { batch[$0].webhook }, now)
      for (place, webhook) in zip(places, made) { webhooks[place] = webhook }
    }
    return webhooks
  }

  private func note(_ taken: Taken) {
    guard taken.queued + taken.tooOld + taken.unreadable > 0 else { return }
    gateway.configuration.log?.note(
      .info, "webhooks_taken_over",
      [
        "webhooks": String(taken.queued), "too_old": String(taken.tooOld), "unreadable": String(taken.unreadable),
      ])
  }
}
