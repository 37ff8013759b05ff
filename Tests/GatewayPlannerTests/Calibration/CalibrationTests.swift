import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

/// Storms of a simulated endpoint whose numbers are known: the search finds them again, or says why it cannot.
@Suite(.long)
struct CalibrationTests {
  /// Simulates a storm of the token endpoint alone: all clients come within `seconds`, and renew once.
  private static func storm(
    _ provider: ProviderModel, clients: Int, seconds: Double, seed: UInt64 = 1,
    _ set: (inout StormPlan) -> Void = { _ in }
  ) throws -> StormEvidence {
    var plan = StormPlan()
    plan.dialect = "none"
    plan.clients = clients
    plan.rate = Double(clients) / seconds
    plan.expiry = .own
    plan.life = .seconds(40)
    plan.hold = .seconds(2)
    plan.seed = seed
    set(&plan)
    var settings = WorldSettings(plan: plan, provider: provider, link: LinkModel(latency: .zero ... .zero))
    settings.isAlone = true
    var world = try MachineWorld(settings)
    return try StormEvidence(plan, world.run().result)
  }

  private static func found(_ storms: [StormEvidence]) async throws -> Calibration? {
    #expect(storms.allSatisfy { $0.gap == nil })
    guard case .found(let calibration) = try await CalibrationSearch(storms, threads: 2).run() else { return nil }
    return calibration
  }

  @Test
  func `a storm without a gateway asks once for each login and once for each renewal, and ends`() throws {
    let storm = try Self.storm(
      ProviderModel(.places(100, latency: .milliseconds(50)...(.milliseconds(50)))), clients: 200, seconds: 10)
    #expect(storm.calls == 400 && storm.refused == 0)
    #expect(storm.result.everybody.kept == 200 && storm.result.connects.accepted == 200)
    #expect(
      storm.granted.count == 400 && storm.granted.minimum == .milliseconds(50)
        && storm.granted.maximum == .milliseconds(50))
    #expect(storm.result.seconds < 60)
  }

  /// Different from the storm's: another seed draws other waits.
  @Test(arguments: [
    (places: 4, least: 100, most: 100, queue: 40, clients: 120, seconds: 1.5),
    (places: 20, least: 150, most: 250, queue: 60, clients: 600, seconds: 3.0),
  ])
  func `places, latency and queue of a known endpoint are found again within the stated distance`(
    places: Int, least: Int, most: Int, queue: Int, clients: Int, seconds: Double
  ) async throws {
    let provider = ProviderModel(.places(places, latency: .milliseconds(least)...(.milliseconds(most))), queue: queue)
    let calibration = try #require(try await Self.found([Self.storm(provider, clients: clients, seconds: seconds)]))
    let rate = try #require(provider.rate)
    let known = try #require(calibration.provider.rate)
    #expect(calibration.distance < 0.05)
    #expect(abs(known / rate - 1) < max(0.02, calibration.distance), "\(known) of \(rate)")
    #expect(calibration.rates.contains(known))
    guard case .places(let found, let latency) = calibration.provider.capacity else { return #expect(Bool(false)) }
    #expect(abs(Double(found) / Double(places) - 1) <= 0.1, "\(found) of \(places) places")
    #expect(abs(latency.lowerBound.inSeconds * 1000 / Double(least) - 1) < 0.1)
    #expect(calibration.hasQueueLimit && abs(calibration.provider.queue - queue) <= 5, "\(calibration.provider.queue)")
    // The built-in rule's wait, which every refusal told.
    let told = try #require(calibration.told)
    #expect(told.missing == 0 && told.given > 0 && told.leastS == told.mostS)
  }

  @Test
  func `a queue without a limit is unknown, and the most that waited is told`() async throws {
    let provider = ProviderModel(.places(10, latency: .milliseconds(100)...(.milliseconds(100))), queue: 100_000)
    let storm = try Self.storm(provider, clients: 200, seconds: 1)
    let calibration = try #require(try await Self.found([storm]))
    #expect(!calibration.hasQueueLimit && calibration.told == nil)
    #expect(abs(try #require(calibration.provider.rate) - 100) < 3)
    #expect((75...125).contains(calibration.waitedMost), "\(calibration.waitedMost)")
  }

  @Test
  func `calls that fail by chance are a share of failures, and no queue`() async throws {
    var provider = ProviderModel(.places(10, latency: .milliseconds(100)...(.milliseconds(100))), queue: 100_000)
    provider.failures = 0.1
    let calibration = try #require(try await Self.found([Self.storm(provider, clients: 500, seconds: 4)]))
    #expect(!calibration.hasQueueLimit)
    #expect(abs(calibration.provider.failures - 0.1) < 0.04, "\(calibration.provider.failures)")
  }

  @Test
  func `an endpoint whose calls never waited has an unknown capacity above what was seen`() async throws {
    for most in [40, 120] {
      let provider = ProviderModel(.places(200, latency: .milliseconds(38)...(.milliseconds(Int64(most)))))
      let storm = try Self.storm(provider, clients: 400, seconds: 4)
      guard case .neverPressed(let seen) = try await CalibrationSearch([storm], threads: 2).run() else {
        Issue.record("38 to \(most) ms: a capacity was found")
        continue
      }
      #expect(seen.fastest >= .milliseconds(38) && (80...130).contains(seen.rate), "\(seen)")
    }
  }

  @Test
  func `a second storm that pressed the endpoint tells what the first could not`() async throws {
    let provider = ProviderModel(.places(6, latency: .milliseconds(100)...(.milliseconds(100))), queue: 40)
    let calm = try Self.storm(provider, clients: 100, seconds: 10)
    guard case .neverPressed = try await CalibrationSearch([calm], threads: 2).run() else {
      Issue.record("a calm storm told a capacity")
      return
    }
    let calibration = try #require(
      try await Self.found([calm, Self.storm(provider, clients: 300, seconds: 2, seed: 2)]))
    #expect(calibration.figures.count == 2)
    #expect(abs(try #require(calibration.provider.rate) / 60 - 1) < 0.05)
  }

  @Test
  func `what a storm held back itself is not taken for the endpoint's limit`() throws {
    let provider = ProviderModel(.places(4, latency: .milliseconds(100)...(.milliseconds(100))), queue: 1000)
    #expect(try Self.storm(provider, clients: 300, seconds: 2) { $0.fetches = 50 }.gap == .heldBack(atOnce: 50))
    #expect(
      try Self.storm(provider, clients: 40, seconds: 2) { $0.fetchRate = 30 }.gap == .slowed(rate: 30))
    var away = provider
    away.failures = 1
    #expect(try Self.storm(away, clients: 5, seconds: 1) { $0.loginTries = 2 }.gap == .noToken("http_503"))
  }

  @Test
  func `the same storm has the same calibration whatever the threads`() async throws {
    let provider = ProviderModel(.places(4, latency: .milliseconds(100)...(.milliseconds(140))), queue: 30)
    let storm = try Self.storm(provider, clients: 150, seconds: 3)
    guard case .found(let one) = try await CalibrationSearch([storm], threads: 1).run(),
      case .found(let other) = try await CalibrationSearch([storm], threads: 3).run()
    else {
      Issue.record("no calibration")
      return
    }
    #expect(one.provider == other.provider && one.figures == other.figures && one.rates == other.rates)
  }
}
