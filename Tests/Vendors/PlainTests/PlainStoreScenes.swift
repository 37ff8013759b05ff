import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayPlain

/// The plain dialect with a faulty store, in virtual time.
struct PlainStoreScenes {
  private let gateway = try! SimulatedGateway()
  private let ann = UserID("ann")

  private func status(_ method: String, _ path: String, token: Credentials? = nil) throws -> HTTPResponse {
    try #require(try gateway.fetch(method, path, token: token)?.get())
  }

  @Test
  func `a login by opaque token is refused with 1013 while the store is away, and accepted afterwards`() {
    let token = gateway.opaqueToken(ann, .regular, life: .seconds(600))
    gateway.store.fault = .away
    let peer = gateway.connect(token)
    #expect(gateway.notices(peer) == [.error(number: 503_004, name: "store_unavailable")])
    #expect(peer.ending?.code == 1013)
    gateway.store.fault = nil
    #expect(gateway.connect(token).ending == nil)
    #expect(gateway.order { await $0.isConnected(UserID("ann")) } == true)
  }

  @Test
  func `tokens that cannot be verified while the store is away are not refused, and the session lasts its time`() {
    let peer = gateway.connect(gateway.token(life: .seconds(60)))
    let next = gateway.opaqueToken(ann, .regular, life: .seconds(600))
    gateway.world.advance(by: .seconds(61))
    gateway.store.fault = .away
    for _ in 0..<10 {
      peer.say(gateway.dialect.encode(.refresh(next)))
      gateway.world.advance(by: .seconds(1))
    }
    #expect(peer.ending == nil)
    gateway.store.fault = nil
    peer.say(gateway.dialect.encode(.refresh(next)))
    gateway.world.advance(by: .seconds(300))
    #expect(peer.ending == nil)
    #expect(gateway.order { await $0.isConnected(UserID("ann")) } == true)
  }

  @Test
  func `a session whose token expires while the store is away ends, and one by JWT is refreshed`() {
    let (late, good) = (
      gateway.connect(gateway.token(life: .seconds(60))), gateway.connect(gateway.token("bob", life: .seconds(60)))
    )
    gateway.store.fault = .away
    gateway.world.advance(by: .seconds(61))
    good.say(gateway.dialect.encode(.refresh(gateway.token("bob"))))
    gateway.world.advance(by: .seconds(61))
    #expect(late.ending?.code == 4000)
    #expect(good.ending == nil)
  }

  @Test
  func `a login waits for a late store`() {
    let token = gateway.opaqueToken(ann, .regular, life: .seconds(600))
    gateway.store.fault = .late(.seconds(3))
    let peer = gateway.connect(token)
    gateway.world.advance(by: .seconds(2))
    #expect(gateway.order { await $0.isConnected(UserID("ann")) } == false)
    gateway.world.advance(by: .seconds(2))
    #expect(peer.ending == nil && gateway.order { await $0.isConnected(UserID("ann")) } == true)
  }

  @Test
  func `a revocation while the store is away is refused without effect, and a stored one admits no user`() {
    let token = gateway.token()
    let peer = gateway.connect(token)
    let revoke = { @Sendable (gateway: Gateway) async -> Int? in
      try? await gateway.revoke(.user(UserID("ann"), issuedBefore: WallTime(seconds: 4e9)))
    }
    gateway.store.fault = .away
    #expect(gateway.order(revoke) == .some(nil))
    #expect(peer.isOpen && gateway.connect(token).isOpen)
    gateway.store.fault = nil
    #expect(gateway.order(revoke) == .some(2))
    #expect(!gateway.connect(token).isOpen)
  }

  @Test
  func `an operator's expiry with a late store covers the token that came in between, and stores that too`() {
    let peer = gateway.connect(gateway.token())
    let next = gateway.token()
    gateway.store.fault = .late(.seconds(1))
    let order = gateway.gateway
    gateway.world.loops[0].stage.start { _ = try? await order.control(UserID("ann"), .expireNow) }
    peer.say(gateway.dialect.encode(.refresh(next)))
    gateway.world.advance(by: .seconds(5))
    gateway.store.fault = nil
    let store = gateway.store
    let count = StoreCount("gateway.expired.tokens", atMost: 0, of: "")
    #expect(gateway.world.ask { (try? await store.tallies([count])) ?? [] } == [2])
    #expect(peer.isOpen && !gateway.connect(next).isOpen)
  }

  @Test
  func `calls are answered 503 with Retry-After while the store is away or contended, and finished changes are there`()
    throws
  {
    let token = gateway.token()
    _ = gateway.connect(token)
    for fault in [FaultyStore.Fault.away, .conflict, .lostAnswer] {
      gateway.store.fault = fault
      for (method, path) in [("POST", "/v1/calls/default/\(fault)"), ("POST", "/v1/guests")] {
        // A second guest only needs an existing name.
        guard fault != .lostAnswer || path != "/v1/guests" else { continue }
        let answer = try status(method, path, token: token)
        #expect(answer.status == 503 && answer.header("retry-after") != nil, "\(fault): \(path)")
      }
    }
    gateway.store.fault = .away
    #expect(try status("GET", "/v1/calls/default/lostAnswer", token: token).status == 503)
    #expect(try status("POST", "/v1/calls/default/lostAnswer/join", token: token).status == 503)
    gateway.store.fault = nil
    #expect(try status("POST", "/v1/calls/default/lostAnswer", token: token).status == 200)
    #expect(try status("POST", "/v1/calls/default/conflict", token: token).status == 201)
    #expect(try status("POST", "/v1/guests").status == 201)
  }
}
