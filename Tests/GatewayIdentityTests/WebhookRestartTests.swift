import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import GatewayIdentity

/// Webhooks that wait in a store are sent by the next process.
@Suite(.timeLimit(.minutes(2)))
struct WebhookRestartTests {
  private static let rule = WebhookRule(
    timeout: .seconds(6), whole: .seconds(15), attemptsMax: 3, networkAttemptsMax: 2, repeated: .overload)
  private static let next = NodeBoot(node: 0, boot: 1)

  private func settle(_ space: WebhookSpace, _ sender: WebhookSender) -> Bool {
    space.inner.world.run(within: .seconds(86_400)) {
      sender.isIdle && sender.rows?.state.withLock { $0.hasWork } == false
    }
  }

  @Test func `the webhooks of a killed process are sent in order by the next, before its own`() throws {
    let space = try WebhookSpace(begins: false, outlivesProcess: true)
    space.post(0..<100, about: { "\($0 % 3)" }, Self.rule)
    space.inner.world.advance(by: .seconds(1))
    #expect(space.sender.rows?.count == 100 && space.bodies.isEmpty)
    let sender = try space.next(Self.next)
    #expect(settle(space, sender))
    for key in 0..<3 {
      #expect(space.bodies.compactMap { Int($0) }.filter { $0 % 3 == key } == Array(stride(from: key, to: 100, by: 3)))
    }
    #expect(sender.counted(.takenOver) == 100 && sender.counted(.delivered) == 100 && sender.rows?.count == 0)
    let line = try #require(space.logs.all("webhooks_taken_over").first)
    #expect(line.fields.map(\.value) == ["100", "0", "0"])
    #expect(try space.next(NodeBoot(node: 0, boot: 2)).counted(.takenOver) == 0)
  }

  @Test func `what is left at the end of a process is kept, counted so, and sent by the next with the next attempt`()
    throws
  {
    let space = try WebhookSpace(outlivesProcess: true)
    space.backend.say(503)
    space.post(0..<3, Self.rule)
    let left = space.inner.world.ask { [sender = space.sender] in await sender.finish(within: .seconds(0.9)) }
    #expect(left == 3 && space.sender.counted(.kept) == 3 && space.sender.counted(.unsent) == 0)
    #expect(space.logs.all("webhooks_kept").count == 1 && space.logs.all("webhooks_unsent").isEmpty)
    let before = space.seen
    #expect(before.allSatisfy { $0.utf8.first == UInt8(ascii: "0") } && !before.isEmpty)
    space.backend.say(200)
    let sender = try space.next(Self.next)
    #expect(settle(space, sender))
    #expect(Array(space.seen.dropFirst(before.count)) == ["0/\(before.count + 1)", "1/1", "2/1"])
  }

  @Test func `an end with nothing left leaves no row`() throws {
    let space = try WebhookSpace(outlivesProcess: true)
    space.backend.delay = .seconds(1)
    space.post(0..<3, Self.rule)
    let left = space.inner.world.ask { [sender = space.sender] in await sender.finish(within: .seconds(60)) }
    #expect(left == 0 && space.bodies == ["0", "1", "2"])
    let (store, now) = (space.inner.store, WallTime(seconds: 0))
    let rows = space.inner.world.ask { () async -> Int in
      let webhooks = (try? await store.scan(WebhookRows.webhooks.range(), limit: 10, at: now).count) ?? -1
      return webhooks + ((try? await store.scan(WebhookRows.owners.range(), limit: 10, at: now).count) ?? -1)
    }
    #expect(rows == 0)
  }

  @Test(arguments: [true, false])
  func `a webhook that is delivered at once writes nothing, and with a store in memory none does`(outlives: Bool) throws
  {
    let space = try WebhookSpace(outlivesProcess: outlives)
    let before = space.inner.store.commitCount
    if !outlives { space.backend.delay = .seconds(3) }
    space.post(0..<8, about: { "\($0)" }, Self.rule)
    #expect(space.settle())
    space.inner.world.advance(by: .seconds(2))
    #expect(space.bodies.count == 8 && space.inner.store.commitCount == before)
  }

  @Test func `a store that is away stops no webhook, and has those that wait when it is back`() throws {
    let space = try WebhookSpace(outlivesProcess: true)
    space.inner.store.fault = .away
    space.post(0..<50, Self.rule)
    #expect(space.settle() && space.bodies.count == 50)
    space.backend.delay = .seconds(5)
    space.post(50..<60, Self.rule)
    space.inner.world.advance(by: .seconds(4))
    #expect(space.sender.rows?.count == 0)
    space.inner.store.fault = nil
    space.inner.world.advance(by: .seconds(3))
    #expect(space.sender.rows?.count == 9)
    #expect(space.settle() && space.bodies == (0..<60).map(String.init))
  }

  @Test func `an end while the store is away counts what waits as unsent`() throws {
    let space = try WebhookSpace(outlivesProcess: true)
    space.inner.store.fault = .away
    space.backend.delay = .seconds(60)
    space.post(0..<5, Self.rule)
    let begun = space.inner.world.now
    let left = space.inner.world.ask { [sender = space.sender] in await sender.finish(within: .seconds(3)) }
    #expect(left == 5 && space.sender.counted(.unsent) == 5 && space.sender.counted(.kept) == 0)
    #expect(space.inner.world.now - begun <= .seconds(8))
  }

  @Test func `webhooks older than a day are dropped and counted`() throws {
    let space = try WebhookSpace(begins: false, outlivesProcess: true)
    space.post(0..<3, Self.rule)
    space.inner.world.advance(by: .seconds(3_600))
    space.post(3..<5, Self.rule)
    space.inner.world.advance(by: .seconds(86_400 - 60))
    let sender = try space.next(Self.next)
    #expect(settle(space, sender) && space.bodies == ["3", "4"])
    #expect(sender.counted(.dropped) == 3 && sender.counted(.takenOver) == 2)
    #expect(space.logs.all("webhooks_taken_over").first?.fields.map(\.value) == ["2", "3", "0"])
  }

  @Test func `what two processes left has no more room than what one may keep, and the oldest are dropped`() throws {
    let space = try WebhookSpace(begins: false, outlivesProcess: true)
    space.post(0..<6_000, about: { "\($0)" }, Self.rule)
    space.inner.world.advance(by: .seconds(60))
    let second = try space.inner.second(Self.next, takingOver: DeadBoots(before: []))
    let other = try #require(second.webhooks)
    _ = space.inner.world.ask { () async -> Void in
      for number in 6_000..<12_000 {
        let body = Array("\(number)".utf8)
        other.post(
          Webhook("vendor", of: "app", to: WebhookSpace.url, about: "k", body, rule: Self.rule) { _, _, _ in [] })
      }
    }
    space.inner.world.advance(by: .seconds(60))
    let sender = try space.next(NodeBoot(node: 3, boot: 0))
    #expect(sender.counted(.takenOver) == 12_000 && sender.counted(.dropped) >= 1_900)
    #expect(settle(space, sender))
    #expect(sender.counted(.dropped) + UInt64(space.bodies.count) == 12_000)
    #expect(Set(space.bodies).count == space.bodies.count && space.bodies.contains("11999"))
  }

  @Test(.long) func `two thousand webhooks are taken over with a scan for each hundred`() throws {
    let space = try WebhookSpace(begins: false, outlivesProcess: true)
    space.post(0..<2_000, about: { "\($0 % 100)" }, Self.rule)
    space.inner.world.advance(by: .seconds(60))
    #expect(space.sender.rows?.count == 2_000)
    let before = space.inner.store.requestCount
    let sender = try space.next(Self.next)
    #expect(sender.counted(.takenOver) == 2_000)
    // Beside the scans there are those of the start.
    #expect(space.inner.store.requestCount - before <= 2_000 / 100 + 20)
  }

  @Test func `webhooks of a vendor that the process does not play are not sent, and their rows go`() throws {
    let space = try WebhookSpace(begins: false, outlivesProcess: true)
    space.post(0..<2, Self.rule)
    space.inner.world.advance(by: .seconds(1))
    let second = try space.inner.second(Self.next, takingOver: .everybody)
    space.inner.world.advance(by: .seconds(5))
    #expect(second.webhooks?.isIdle == true && second.webhooks?.rows?.count == 0)
    #expect(space.logs.all("webhooks_taken_over").first?.fields.map(\.value) == ["0", "0", "2"])
  }
}
