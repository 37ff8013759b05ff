import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

struct DeterminismTests {
  private static var settings: WorldSettings {
    var plan = StormPlan()
    plan.clients = 3000
    plan.rate = 300
    plan.hold = .seconds(20)
    plan.reconnects = true
    var provider = ProviderModel(.places(10, latency: .milliseconds(20)...(.milliseconds(80))), queue: 1000)
    provider.failures = 0.1
    provider.pauses = [.init(at: .seconds(35), length: .seconds(20))]
    provider.warmUp = .init(from: 0.2, length: .seconds(30))
    var settings = WorldSettings(plan: plan, provider: provider, link: LinkModel(loss: 0.01))
    settings.duration = .seconds(300)
    return settings
  }

  private static func run(_ seed: UInt64) throws -> StormResult {
    var settings = settings
    settings.plan.seed = seed
    var world = try MachineWorld(settings)
    return world.run().result
  }

  @Test(.long)
  func `the same settings simulate the same hour on any number of threads`() async throws {
    let seeds: [UInt64] = [1, 2, 3, 1]
    let alone = try await Worlds.run(seeds, threads: 1) { try Self.run($0) }
    let together = try await Worlds.run(seeds, threads: 4) { try Self.run($0) }
    #expect(alone == together)
    #expect(alone[0] == alone[3])
    #expect(alone[0] != alone[1])
  }

  @Test
  func `simulated events come in the order of their times, and of their numbers within one time`() {
    var wheel = EventWheel()
    var chance = SeededGenerator(seed: 7)
    var times: [Int64] = []
    for index in 0..<5000 {
      // Near times, times in the same bucket, and times several turns of the wheel ahead.
      let time = Int64(chance.next() % (index % 3 == 0 ? 2_000_000 : 2_000_000_000_000))
      times.append(time)
      wheel.add(.clientDue, at: time, subject: UInt32(index))
    }
    var seen: [Int64] = []
    var last: (time: Int64, subject: UInt32) = (0, 0)
    while let next = wheel.nextTime() {
      let event = wheel.next()
      #expect(event.time == next && event.time >= last.time)
      last = (event.time, event.subject)
      seen.append(event.time)
      // Times that are added meanwhile to the current bucket are sorted in.
      if seen.count % 50 == 0 && times.count < 6000 {
        times.append(event.time + 10)
        wheel.add(.clientDue, at: event.time + 10, subject: 1)
      }
    }
    #expect(seen == times.sorted())
  }

  @Test
  func `a simulated token's text is its expiry, and needs no heap`() {
    for instant in [0, 1, 3_600_000_000_000, Int64.max] {
      let credentials = TokenText.credentials(expiringAt: instant)
      #expect(credentials.token.utf8.count <= 15)
      #expect(TokenText.expiry(of: credentials) == instant)
    }
  }

  @Test
  func `clients that are refused at once leave no request behind for each try`() {
    var provider = ProviderState(ProviderModel(.rate(1), queue: 0), seed: 1)
    var timeOuts = RequestTimeOuts(clients: 10)
    var highest: UInt32 = 0
    for time in Int64(0)..<300_000 {
      timeOuts.makeRoom(in: &provider.requests)
      let place = provider.requests.add(
        TokenRequest(client: 1, number: 1, begunAt: time, life: 1, call: 1, isInstant: false))
      timeOuts.add(place, at: time + 3_600_000_000_000)
      highest = max(highest, place)
      // One in a hundred is never answered, and is kept.
      if time % 100 != 0 { provider.requests[place].isAnswered = true }
    }
    #expect(highest < 75_000)
    var kept = 0
    while timeOuts.next != nil { kept += provider.requests[timeOuts.take()].isAnswered ? 0 : 1 }
    #expect(kept == 3000)
    #expect(timeOuts.last == 299_999 + 3_600_000_000_000)
  }

  @Test
  func `requests in a queue count among the bytes of a simulated world`() {
    var settings = Self.settings
    settings.plan.clients = 1_000_000
    settings.provider.queue = 0
    let least = MachineWorld.bytes(settings)
    settings.provider.queue = 10_000_000
    #expect(MachineWorld.bytes(settings) >= least + 10_000_000 * 40)
    // The queue cannot be longer than the number of all requests.
    settings.plan.clients = 100
    settings.provider.queue = 100_000_000
    #expect(MachineWorld.bytes(settings) < 80 << 20)
  }

  @Test
  func `a simulated client takes at most 1.2 KB`() {
    #expect(MachineWorld.bytes(clients: 10_000_000) / 10_000_000 <= 1_200)
    #expect(MemoryLayout<Machine>.stride <= 900)
  }
}
