import GatewayCore
import GatewayKit
import TestTraits
import Testing

@testable import GatewayIdentity

/// The queue of webhooks by itself.
struct WebhookQueueTests {
  private func item(
    _ number: Int, of application: String = "app", to host: String = "a", about key: String = "k", bytes: Int = 1,
    body: [UInt8]? = nil
  ) throws -> WebhookQueue.Item {
    let url = "https://\(host).example/hook"
    return WebhookQueue.Item(
      Webhook(
        "vendor", of: Name(application), to: url, method: "\(number)", about: Name(key),
        body ?? Array(repeating: 0, count: bytes),
        rule: WebhookRule(timeout: .seconds(1), attemptsMax: 1, repeated: .none)
      ) { _, _, _ in [] }, to: try EndpointAddress(url), reach: .anywhere)
  }

  private func numbers(_ items: [WebhookQueue.Item]) -> [String] { items.map(\.webhook.method) }

  private func all(_ queue: inout WebhookQueue) -> [WebhookQueue.Item] {
    var items: [WebhookQueue.Item] = []
    while let item = queue.next() { items.append(item) }
    return items
  }

  @Test func `webhooks with one key are in flight one at a time and in order`() throws {
    var queue = WebhookQueue()
    for number in 1...3 { #expect(queue.add(try item(number)).isEmpty) }
    for number in 1...3 {
      let begun = all(&queue)
      #expect(numbers(begun) == ["\(number)"])
      queue.finish(begun[0])
    }
    #expect(queue.isIdle && !queue.mayBegin)
  }

  @Test func `keys, addresses and applications are sent beside each other`() throws {
    var queue = WebhookQueue()
    _ = queue.add(try item(1))
    _ = queue.add(try item(2, about: "other"))
    _ = queue.add(try item(3, to: "b"))
    _ = queue.add(try item(4, of: "other"))
    #expect(numbers(all(&queue)).sorted() == ["1", "2", "3", "4"])
  }

  @Test func `one address has eight in flight, and leaves room for others`() throws {
    var queue = WebhookQueue()
    for number in 0..<100 { _ = queue.add(try item(number, about: "\(number)")) }
    let slow = all(&queue)
    #expect(numbers(slow) == (0..<8).map { "\($0)" })
    _ = queue.add(try item(100, to: "b"))
    #expect(numbers(all(&queue)) == ["100"])
    queue.finish(slow[3])
    #expect(numbers(all(&queue)) == ["8"])
  }

  @Test func `at most 32 are in flight over all addresses`() throws {
    var queue = WebhookQueue()
    for number in 0..<100 { _ = queue.add(try item(number, to: "h\(number)")) }
    let begun = all(&queue)
    #expect(begun.count == WebhookQueue.inFlightMax && queue.waiting == 68)
    for item in begun { queue.finish(item) }
    #expect(numbers(all(&queue)) == (32..<64).map { "\($0)" })
  }

  @Test func `a full queue drops the oldest webhook of its own application`() throws {
    var queue = WebhookQueue()
    _ = queue.add(try item(-1, of: "other"))
    for number in 0..<WebhookQueue.waitingMax {
      #expect(queue.add(try item(number, about: "\(number % 7)")).isEmpty)
    }
    #expect(numbers(queue.add(try item(10_000))) == ["0"])
    #expect(numbers(queue.add(try item(10_001))) == ["1"])
    #expect(queue.waiting == WebhookQueue.waitingMax + 1)
    #expect(queue.vendors == [Name("vendor"): WebhookQueue.waitingMax + 1])
    // The order of the others stays.
    var sent: [Int] = []
    while let item = queue.next() {
      if item.webhook.key == Name("2") { sent.append(Int(item.webhook.method) ?? -1) }
      queue.finish(item)
    }
    #expect(sent == Array(stride(from: 2, to: 10_000, by: 7)) && queue.isIdle)
  }

  @Test func `bodies have 64 MiB together, and a body above that is dropped itself`() throws {
    var queue = WebhookQueue()
    let half = WebhookQueue.bytesMax / 2
    #expect(queue.add(try item(1, bytes: half)).isEmpty)
    #expect(queue.add(try item(2, bytes: half)).isEmpty)
    #expect(numbers(queue.add(try item(3, bytes: half))) == ["1"])
    #expect(numbers(queue.add(try item(4, bytes: WebhookQueue.bytesMax + 1))) == ["2", "3", "4"])
    #expect(queue.isIdle && queue.next() == nil)
    _ = queue.add(try item(5))
    #expect(numbers(all(&queue)) == ["5"])
  }

  @Test(.long, .long) func `any order of additions, drops and ends keeps the order of each key and loses nothing else`()
    throws
  {
    // Shared, so that a large body costs nothing.
    let (large, small) = ([UInt8](repeating: 0, count: WebhookQueue.bytesMax / 3), [UInt8](repeating: 0, count: 10))
    for seed in UInt64(1)...200 {
      var random = SplitMix(seed)
      var queue = WebhookQueue()
      var (added, seen, dropped) = (0, [Name: [Int]](), 0)
      var inFlight: [WebhookQueue.Item] = []
      for _ in 0..<400 {
        switch random.next() % 3 {
        case 0:
          let body = random.next() % 4 == 0 ? large : small
          let (key, host) = ("\(random.next() % 5)", "\(random.next() % 3)")
          dropped += queue.add(try item(added, to: host, about: key, body: body)).count
          added += 1
        case 1:
          guard let item = queue.next() else { continue }
          inFlight.append(item)
          seen[Name("\(item.webhook.url) \(item.webhook.key)"), default: []].append(Int(item.webhook.method) ?? -1)
        default:
          guard !inFlight.isEmpty else { continue }
          queue.finish(inFlight.remove(at: Int(random.next() % UInt64(inFlight.count))))
        }
        #expect(Set(inFlight.map { "\($0.webhook.url) \($0.webhook.key)" }).count == inFlight.count)
      }
      for item in inFlight { queue.finish(item) }
      while let item = queue.next() {
        seen[Name("\(item.webhook.url) \(item.webhook.key)"), default: []].append(Int(item.webhook.method) ?? -1)
        queue.finish(item)
      }
      #expect(queue.isIdle && seen.values.allSatisfy { $0 == $0.sorted() }, "seed \(seed)")
      #expect(seen.values.map(\.count).reduce(0, +) + dropped == added, "seed \(seed)")
    }
  }
}

/// Repeatable numbers.
private struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
