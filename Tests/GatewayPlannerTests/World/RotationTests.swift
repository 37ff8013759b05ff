import GatewayCore
import GatewayFleet
import TestTraits
import Testing

@testable import GatewayPlanner

/// Refresh tokens that rotate, compared with calculations on paper. `test_rotation.py` counts them a second time.
struct RotationTests {
  /// Simulates a herd: the tokens of all clients end in one moment, and the gateway waits long for new ones.
  private static func herd(
    clients: Int = 2000, _ rotation: RotationPolicy, _ set: (inout WorldSettings) -> Void = { _ in }
  ) throws -> StormResult {
    var plan = StormPlan()
    plan.clients = clients
    plan.rate = 50
    plan.expireAfter = Double(clients) / 50 + 40
    plan.life = .seconds(7200)
    plan.gateway.timeout = .seconds(900)
    plan.backoff = Backoff(base: .milliseconds(500), cap: .seconds(10))
    var provider = ProviderModel(.rate(100), queue: 100_000)
    provider.rotation = rotation
    var settings = WorldSettings(
      plan: plan, provider: provider, link: LinkModel(latency: .milliseconds(1)...(.milliseconds(1))))
    set(&settings)
    var world = try MachineWorld(settings)
    return world.run().result
  }

  private static let strict = RotationPolicy()

  @Test
  func `strict rotation signs out every client that the provider serves after the timeout`() throws {
    let result = try Self.herd(Self.strict)
    let tally = try #require(result.signOuts)
    // N - C x T: of 2,000 clients, 100 a second are served within 10 s. The way there and back takes 2 ms of the ten.
    #expect((1000...1002).contains(tally.total))
    #expect(tally.causes == [.lostReply: tally.total] && tally.devices == 2000)
    #expect(result.rotation?.familiesRevoked == tally.total)
    #expect(result.everybody.signedOut == tally.total && result.everybody.lostUnexpectedly == 0)
    #expect(result.everybody.kept == 2000 - tally.total)
  }

  @Test(arguments: [1, 4, 20])
  func `a strict herd before a provider that drops abandoned requests signs out at most as many as it has places`(
    places: Int
  ) throws {
    let result = try Self.herd(Self.strict) {
      // A hundred tokens a second, as many as the places make.
      $0.provider.capacity = .places(places, latency: .milliseconds(10 * places)...(.milliseconds(10 * places)))
      $0.provider.abandoned = .drop
    }
    #expect(try #require(result.signOuts).total <= places)
    #expect(result.provider.refused["timed_out"] >= 900, "the herd is larger than what is served in time")
  }

  @Test
  func `no tab of a herd is signed out if its device asks once, and every device is if all tabs ask at once`() throws {
    func run(_ flight: GrantPlan.SingleFlight, _ rotation: RotationPolicy) throws -> StormResult {
      try Self.herd(clients: 300, rotation) {
        var grants = GrantPlan()
        grants.tabs = 3
        grants.singleFlight = flight
        $0.plan.grants = grants
        // Logins are far apart, so that each device logs in once.
        $0.plan.rate = 10
        $0.plan.expireAfter = 60
      }
    }
    let none = try run(.none, Self.strict)
    // The first tab of each device has its token, and its two neighbours are out.
    #expect(none.signOuts?.total == 100 && none.signOuts?.causes == [.race: 100] && none.everybody.signedOut == 200)
    let device = try run(.device, Self.strict)
    #expect(device.signOuts?.total == 0 && device.everybody.kept == 300)
    #expect(device.provider.calls == 300 + 100)
    let same = try run(.none, RotationPolicy(grace: .seconds(30), replay: .same))
    #expect(same.signOuts?.total == 0 && same.everybody.kept == 300)
    #expect(same.rotation?.replays == 200 && same.rotation?.forgiven == 200)
    let new = try run(.none, RotationPolicy(grace: .seconds(30), replay: .new))
    #expect(new.signOuts?.total == 0 && new.rotation?.forgiven == 200)
  }

  @Test(.long)
  func `replies lost by a share sign out that share of the devices in each wave`() throws {
    let (share, waves, clients) = (0.02, 3, 4000)
    let result = try Self.herd(clients: clients, Self.strict) {
      $0.provider = ProviderModel()
      $0.provider.rotation = Self.strict
      $0.provider.repliesLost = share
      $0.plan.rate = 400
      $0.plan.expireAfter = 60
      $0.plan.life = .seconds(600)
      $0.plan.waves = waves
      // Whoever is signed out is cut off before another wave begins.
      $0.plan.gateway.timeout = .seconds(60)
      // A first token that is lost is asked for again, and signs nobody out.
      $0.isFirstTokenInHand = true
    }
    let expected = Double(clients) * (1 - (1 - share) * (1 - share) * (1 - share))
    let deviation = (expected * (1 - expected / Double(clients))).squareRoot()
    let signedOut = Double(try #require(result.signOuts).total)
    #expect(abs(signedOut - expected) < 4 * deviation, "\(signedOut), not \(expected)")
    #expect(result.signOuts?.causes.keys.map { $0 } == [.lostReply])
    #expect((result.rotation?.repliesLost ?? 0) >= Int(signedOut))
  }

  @Test
  func `a theft on one device signs out all devices of its user, if the policy says so`() throws {
    func run(_ revokes: RotationPolicy.Revocation) throws -> StormResult {
      try Self.herd(clients: 400, RotationPolicy(revokes: revokes)) {
        var grants = GrantPlan()
        (grants.devices, grants.tabs, grants.singleFlight) = (2, 2, .none)
        $0.plan.grants = grants
        $0.provider = ProviderModel(.places(1, latency: .milliseconds(10)...(.milliseconds(10))))
        $0.provider.rotation = RotationPolicy(revokes: revokes)
        $0.plan.rate = 10
        $0.plan.expireAfter = 60
      }
    }
    #expect(try run(.family).rotation?.familiesRevoked == 200)
    let user = try run(.user)
    #expect(user.rotation?.familiesRevoked == 200 && user.signOuts?.total == 200)
    #expect(try run(.nothing).rotation?.familiesRevoked == 0)
  }

  @Test
  func `a device that logs in again is signed out once for each theft, and comes back`() throws {
    let result = try Self.herd(clients: 200, Self.strict) {
      var grants = GrantPlan()
      (grants.tabs, grants.singleFlight, grants.signedOut) = (2, .none, .login)
      $0.plan.grants = grants
      $0.plan.rate = 10
      $0.plan.expireAfter = 60
      $0.plan.reconnects = true
      $0.plan.gateway.timeout = .seconds(60)
    }
    #expect(try #require(result.signOuts).total >= 100)
    #expect(result.everybody.signedOut == nil && result.signOuts?.devices == 100)
  }

  @Test
  func `an unused refresh token expires, and the device knows that cause if it knows the time`() throws {
    let result = try Self.herd(clients: 50, RotationPolicy(idle: .seconds(30)))
    #expect(result.signOuts?.causes == [.idle: 50] && result.rotation?.replays == 0)
  }

  @Test
  func `the same settings have the same result, and a request without refresh tokens takes 40 bytes`() throws {
    func run() throws -> StormResult {
      try Self.herd(clients: 500, RotationPolicy(grace: .seconds(12), replay: .new)) {
        var grants = GrantPlan()
        (grants.tabs, grants.singleFlight) = (2, .none)
        $0.plan.grants = grants
        $0.provider.repliesLost = 0.05
      }
    }
    #expect(try run() == run())
    #expect(MemoryLayout<GatewayPlanner.TokenRequest>.stride == 40)
  }

  @Test
  func `twenty million clients with refresh tokens are counted with at most 1,200 bytes each`() {
    var settings = WorldSettings(plan: StormPlan(), provider: ProviderModel(.rate(1000), queue: 1000))
    settings.plan.clients = 20_000_000
    settings.plan.fetchTimeout = .seconds(100_000)
    let without = MachineWorld.bytes(settings)
    settings.provider.rotation = Self.strict
    let with = MachineWorld.bytes(settings)
    #expect((50...80).contains((with - without) / 20_000_000))
    #expect(with / 20_000_000 <= 1_200)
  }
}
