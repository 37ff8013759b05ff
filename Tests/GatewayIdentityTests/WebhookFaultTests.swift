import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults
@testable import GatewayIdentity

/// Webhooks that go wrong on purpose.
@Suite(.timeLimit(.minutes(2)))
struct WebhookFaultTests {
  private static let rule = WebhookRule(timeout: .seconds(6), attemptsMax: 3, repeated: .overload)

  /// The fault, and the bodies that arrive of three webhooks, each with the number of its attempt.
  private static let rows: [(order: String, seen: [String])] = [
    (#"{"fault": "webhook_lost", "times": 1}"#, ["1/1", "2/1"]),
    (#"{"fault": "webhook_twice", "times": 1}"#, ["0/1", "0/2", "1/1", "2/1"]),
    (#"{"fault": "webhook_reordered", "times": 1}"#, ["1/1", "0/1", "2/1"]),
    (#"{"fault": "webhook_late", "by_ms": 5000, "times": 1, "vendor": "vendor"}"#, ["0/1", "1/1", "2/1"]),
    (#"{"fault": "webhook_lost", "times": 1, "when": {"nth": 2}}"#, ["0/1", "2/1"]),
  ]

  @Test(arguments: rows.indices)
  func `webhooks arrive as the fault's row says, and all count as delivered`(index: Int) throws {
    let (order, seen) = Self.rows[index]
    let space = try WebhookSpace(keepsJournal: true)
    try space.inner.fail(order)
    space.post(0..<3, Self.rule)
    #expect(space.settle() && space.seen == seen, "\(order) \(space.seen)")
    #expect(space.sender.counted(.delivered) == 3 && space.sender.counted(.failed) == 0)
    #expect(space.inner.faulted == 1)
    space.inner.mend()
    space.post(3..<5, Self.rule)
    #expect(space.settle() && space.seen == seen + ["3/1", "4/1"])
  }

  @Test
  func `a late webhook arrives after its delay, and those about something else are not kept waiting`() throws {
    let space = try WebhookSpace(keepsJournal: true)
    try space.inner.fail(#"{"fault": "webhook_late", "by_ms": 5000, "times": 1}"#)
    space.post(0..<2, about: { "\($0)" }, Self.rule)
    #expect(space.settle() && space.bodies == ["1", "0"])
    #expect(space.backend.times[1] - space.backend.times[0] >= .seconds(4.5))
  }

  @Test
  func `a reordered webhook waits for the next about the same thing, and goes alone if none comes in time`() throws {
    let space = try WebhookSpace(keepsJournal: true)
    try space.inner.fail(#"{"fault": "webhook_reordered", "within_ms": 8000, "times": 2}"#)
    space.post(0..<1, about: { _ in "a" }, Self.rule)
    space.post(1..<2, about: { _ in "b" }, Self.rule)
    space.inner.world.advance(by: .seconds(3))
    #expect(space.bodies.isEmpty)
    space.post(2..<3, about: { _ in "a" }, Self.rule)
    space.inner.world.advance(by: .seconds(1))
    #expect(space.bodies == ["2", "0"])
    #expect(space.settle() && space.bodies == ["2", "0", "1"])
    #expect(space.sender.counted(.delivered) == 3)
  }

  /// The fault, and the signature that arrives; nil for none.
  @Test(arguments: ["webhook_unsigned", "webhook_wrong_key"])
  func `an unsigned webhook has no signature, and a forged one another of the same form, in every attempt`(
    word: String
  ) throws {
    let space = try WebhookSpace(keepsJournal: true)
    space.backend.say(503)
    try space.inner.fail("{\"fault\": \"\(word)\", \"times\": 1}")
    space.post(0..<2, Self.rule)
    #expect(space.settle() && space.seen.count == 6)
    let right = "00," + Webhook.hex(Array("0".utf8))
    for request in space.backend.requests.prefix(3) {
      let found = request.headers.first { $0.name.lowercased() == "x-signature" }?.value
      #expect((found == nil) == (word == "webhook_unsigned") && found != right, "\(found ?? "none")")
      if let found {
        #expect(found.utf8.count == right.utf8.count && found.utf8.dropFirst(2).first == UInt8(ascii: ","))
      }
    }
    let after = space.backend.requests.last?.headers.first { $0.name.lowercased() == "x-signature" }?.value
    #expect(after == "00," + Webhook.hex(Array("1".utf8)))
  }

  @Test
  func `a webhook that is held back when the gateway ends is told as unsent`() throws {
    let space = try WebhookSpace(keepsJournal: true)
    try space.inner.fail(#"{"fault": "webhook_late", "by_ms": 60000}"#)
    space.post(0..<1, Self.rule)
    let left = space.inner.world.ask { [sender = space.sender] in await sender.finish(within: .seconds(3)) }
    #expect(left == 1 && space.sender.counted(.unsent) == 1 && space.bodies.isEmpty)
  }

  @Test
  func `a vendor that sends no webhooks is refused with those that do`() throws {
    let space = try WebhookSpace(keepsJournal: true)
    let refused = #expect(throws: GatewayError.self) {
      try space.inner.fail(#"{"fault": "webhook_lost", "vendor": "slack"}"#)
    }
    #expect(refused?.message.has("there is vendor") == true, "\(refused?.message ?? "")")
  }
}
