import GatewayCore
import Testing

@testable import GatewayFleet

/// The device's own view of its refresh token: who is signed out, and by what cause.
struct TokenJarTests {
  private static let now = Instant(nanoseconds: 3_000_000_000)

  /// A jar that calls within expectations can change.
  private final class Device {
    var jar = TokenJar()

    func show(by client: Int) -> Bool { jar.show(by: client) }

    func received(_ token: UInt32, at now: Instant) -> Bool { jar.received(token, at: now) }

    func unanswered(_ token: UInt32) { jar.unanswered(token) }

    func refused(_ token: UInt32, _ plan: GrantPlan, at now: Instant) -> TokenJar.Refusal {
      jar.refused(token, plan, at: now)
    }

    func copied() -> Device {
      let copy = Device()
      copy.jar = jar
      return copy
    }
  }

  private static func jar(_ token: UInt32 = 1) -> Device {
    let device = Device()
    #expect(device.received(token, at: now))
    return device
  }

  private static func plan(_ signedOut: GrantPlan.SignedOut = .gone, idle: Double? = nil) -> GrantPlan {
    var plan = GrantPlan()
    plan.signedOut = signedOut
    plan.idle = idle
    return plan
  }

  @Test
  func `a token that was shown without an answer and is then refused was signed out by a lost reply`() {
    let jar = Self.jar()
    #expect(!jar.show(by: 4))
    jar.unanswered(1)
    #expect(jar.show(by: 4))
    #expect(jar.refused(1, Self.plan(), at: Self.now) == .signedOut(.lostReply))
    #expect(jar.jar.isSignedOut && jar.refused(1, Self.plan(), at: Self.now) == .already)
    #expect(!jar.received(2, at: Self.now) && jar.jar.isSignedOut)
  }

  @Test
  func `a token that two tabs show and that is then refused was signed out by a race`() {
    let jar = Self.jar()
    _ = jar.show(by: 4)
    _ = jar.show(by: 5)
    #expect(jar.refused(1, Self.plan(), at: Self.now) == .signedOut(.race))
  }

  @Test
  func `a refused token whose successor is in the jar signs out no user, and is the cause if the successor is refused`()
  {
    let jar = Self.jar()
    _ = jar.show(by: 4)
    _ = jar.show(by: 5)
    #expect(!jar.received(2, at: Self.now))
    #expect(jar.refused(1, Self.plan(), at: Self.now) == .superseded)
    let other = jar.copied()
    _ = jar.show(by: 5)
    #expect(jar.refused(2, Self.plan(), at: Self.now) == .signedOut(.race))
    // A successor that is accepted ends the matter.
    _ = other.show(by: 5)
    _ = other.received(3, at: Self.now)
    _ = other.show(by: 5)
    #expect(other.refused(3, Self.plan(), at: Self.now) == .signedOut(.other))
  }

  @Test
  func `a token that was unused for too long is signed out as idle, if the plan knows the time`() {
    let jar = Self.jar()
    _ = jar.show(by: 4)
    let other = jar.copied()
    #expect(jar.refused(1, Self.plan(idle: 60), at: Self.now + .seconds(60)) == .signedOut(.idle))
    #expect(other.refused(1, Self.plan(), at: Self.now + .seconds(60)) == .signedOut(.other))
  }

  @Test
  func `a device that logs in again has an empty jar, and is no new device`() {
    let jar = Self.jar()
    _ = jar.show(by: 4)
    #expect(jar.refused(1, Self.plan(.login), at: Self.now) == .signedOut(.other))
    #expect(jar.jar.token == 0 && !jar.jar.isSignedOut)
    #expect(!jar.received(2, at: Self.now) && jar.jar.token == 2)
  }

  @Test
  func `a jar takes 24 bytes, and clients share jars and flights by number`() {
    #expect(MemoryLayout<TokenJar>.stride == 24)
    var plan = GrantPlan()
    (plan.devices, plan.tabs) = (2, 3)
    #expect((0..<12).map(plan.device) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    #expect((0..<12).map(plan.user) == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    let flights = GrantPlan.SingleFlight.allCases.map { kind in
      plan.singleFlight = kind
      return plan.flight(of: 8)
    }
    #expect(flights == [nil, 8, 2, 1] && plan.devices(of: 10) == 4)
  }
}
