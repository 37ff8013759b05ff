import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct GatewayExpiryTests {
  private let gateway: SimulatedGateway

  init() throws {
    gateway = try SimulatedGateway()
  }

  private func gateway(_ policy: SessionPolicy) throws -> SimulatedGateway {
    try SimulatedGateway(GatewayConfiguration(session: policy))
  }

  private static let asked = ServerNotice.refreshRequired(timeout: .seconds(60))

  @Test
  func `a client is asked for another token at expiry, and keeps its connection with it`() throws {
    let peer = gateway.connect(gateway.token(life: .seconds(100)))
    gateway.world.advance(by: .seconds(100) - .nanoseconds(1))
    #expect(gateway.notices(peer).count == 1)
    gateway.world.advance(by: .nanoseconds(1))
    #expect(gateway.notices(peer).last == Self.asked)
    let before = gateway.order { await $0.sessions(of: UserID("ann"), after: nil, limit: 10) }
    gateway.world.advance(by: .seconds(59))
    peer.say(gateway.dialect.encode(.refresh(gateway.token(life: .seconds(100)))))
    gateway.world.settle()
    #expect(gateway.notices(peer).last == .refreshed)
    #expect(peer.texts.last == #"{"type":"refreshed","expires_in_ms":100000}"#)
    let after = gateway.order { await $0.sessions(of: UserID("ann"), after: nil, limit: 10) }
    #expect(before?.map(\.id) == after?.map(\.id) && after?.count == 1)
    gateway.world.advance(by: .seconds(99))
    #expect(gateway.notices(peer).count == 3 && peer.isOpen)
  }

  @Test
  func `a client that misses the timeout is disconnected with 4000, and a later token comes too late`() throws {
    let peer = gateway.connect(gateway.token(life: .seconds(100)))
    gateway.world.advance(by: .seconds(160))
    let ending = try #require(peer.ending)
    #expect(ending.at == .seconds(160) && ending.code == 4000 && ending.name == "refresh_timeout")
    peer.say(gateway.dialect.encode(.refresh(gateway.token())))
    gateway.world.advance(by: .seconds(1_000))
    #expect(gateway.notices(peer).count == 2)
    #expect(gateway.connectionCount == 0)
  }

  @Test
  func
    `a client that answers with another user's, an expired, the same or a forged token keeps its identity until the end`()
    throws
  {
    let old = gateway.token(life: .seconds(100))
    let peer = gateway.connect(old)
    gateway.world.advance(by: .seconds(100))
    let answers = [
      (gateway.token("bob"), "user_mismatch"), (old, "token_not_renewed"),
      (gateway.token(life: .zero), "token_expired"),
      (Credentials(token: "forged"), "token_malformed"), (gateway.token("ann", .guest), "user_mismatch"),
    ]
    for (answer, name) in answers {
      peer.say(gateway.dialect.encode(.refresh(answer)))
      gateway.world.settle()
      guard case .error(_, name) = gateway.notices(peer).last else {
        Issue.record("\(name) expected, not \(String(describing: gateway.notices(peer).last))")
        continue
      }
    }
    let session = try #require(gateway.order { await $0.sessions(of: nil, after: nil, limit: 10) }?.first)
    #expect(session.user == UserID("ann") && session.kind == .regular && session.phase == "refreshing")
    gateway.world.advance(by: .seconds(60))
    #expect(peer.ending?.at == .seconds(160))
  }

  @Test
  func `a client that repeats the same expired token is disconnected before it can loop`() {
    let old = gateway.token(life: .seconds(100))
    let peer = gateway.connect(old)
    gateway.world.advance(by: .seconds(100))
    for _ in 0..<20 { peer.say(gateway.dialect.encode(.refresh(old))) }
    gateway.world.settle()
    #expect(peer.ending?.code == 4502)
    #expect(gateway.notices(peer).count == 2 + 8)
  }

  @Test
  func `a token of 24 hours expires at once by an order, and by itself in virtual time`() {
    let peer = gateway.connect(gateway.token(life: .seconds(86_400)))
    #expect(gateway.order { try? await $0.control(UserID("ann"), .expireNow) } == 1)
    #expect(gateway.notices(peer).last == Self.asked)
    #expect(gateway.world.now == .zero)
    peer.say(gateway.dialect.encode(.refresh(gateway.token(life: .seconds(86_400)))))
    gateway.world.advance(by: .seconds(86_400))
    #expect(
      gateway.notices(peer) == [.connected(ConnectionID(loop: 0, serial: 1)), Self.asked, .refreshed, Self.asked])
    #expect(peer.isOpen, "a peer that answers pings stays for a day")
  }

  @Test
  func `a client is asked a lead before expiry, each connection at its own place in the spread`() throws {
    let policy = try SessionPolicy(refreshLead: .seconds(30), refreshSpread: .seconds(60))
    let gateway = try gateway(policy)
    let peers = (0..<200).map { gateway.connect(gateway.token("user \($0)", life: .seconds(3_600))) }
    gateway.world.advance(by: .seconds(3_600))
    var times: [Int64] = []
    for peer in peers {
      let asked = peer.notices(in: gateway.dialect).filter { $0.notice == Self.asked }
      #expect(asked.count == 1)
      times.append(asked[0].at.nanoseconds / 1_000_000_000)
    }
    #expect(times.allSatisfy { (3_510...3_570).contains($0) })
    // Ten windows of 6 s with 20 each on average.
    for start in stride(from: Int64(3_510), to: 3_570, by: 6) {
      #expect((6...40).contains(times.count { $0 >= start && $0 < start + 6 }))
    }
  }

  @Test
  func `a wall clock that jumps disturbs no client, since expiry runs on the monotonic clock`() {
    let peer = gateway.connect(gateway.token(life: .seconds(100)))
    gateway.world.advance(by: .seconds(50))
    gateway.world.timeline.jumpWallClock(by: .seconds(86_400))
    gateway.world.advance(by: .seconds(49))
    #expect(gateway.notices(peer).count == 1)
    gateway.world.timeline.jumpWallClock(by: .seconds(-2 * 86_400))
    gateway.world.advance(by: .seconds(1))
    #expect(gateway.notices(peer).last == Self.asked)
  }

  @Test
  func `a client that never receives the request is disconnected by the timeout and may return`() {
    let peer = gateway.connect(gateway.token(life: .seconds(100)))
    peer.gatewayFaults.messagesToLose = 1
    gateway.world.advance(by: .seconds(160))
    #expect(gateway.notices(peer).count == 1)
    #expect(peer.ending?.code == 4000)
    #expect(CloseReason.refreshTimeout.mayReconnect)
    #expect(gateway.connect(gateway.token()).isOpen)
  }

  @Test
  func `a client that never learnt of its acceptance can send its new token again at the next request`() {
    let peer = gateway.connect(gateway.token(life: .seconds(100)))
    gateway.world.advance(by: .seconds(100))
    peer.gatewayFaults.messagesToLose = 1
    let next = gateway.token(life: .seconds(100))
    peer.say(gateway.dialect.encode(.refresh(next)))
    gateway.world.advance(by: .seconds(1))
    #expect(gateway.notices(peer).last == Self.asked)
    // A client that does not know that it was accepted sends the same token again: nothing is due, so that is not an
    // error.
    peer.say(gateway.dialect.encode(.refresh(next)))
    gateway.world.settle()
    #expect(gateway.notices(peer).last == .refreshed)
  }

  @Test
  func `a slow verdict counts within the timeout, and is dropped after it`() throws {
    for (answersAt, isKept) in [(Int64(154), true), (156, false)] {
      let gateway = try SimulatedGateway(judgement: .seconds(5))
      let peer = gateway.connect(gateway.token(life: .seconds(100)))
      gateway.world.run(until: .seconds(answersAt))
      #expect(gateway.notices(peer).last == Self.asked)
      peer.say(gateway.dialect.encode(.refresh(gateway.token())))
      gateway.world.advance(by: .seconds(20))
      #expect((gateway.notices(peer).last == .refreshed) == isKept)
      #expect(peer.isOpen == isKept)
      #expect(peer.ending?.at == (isKept ? nil : .seconds(160)))
    }
  }

  @Test
  func `clients asked in one moment are asked with their own cause and timeout`() throws {
    let gateway = try SimulatedGateway(loops: 1)
    let (two, one) = (gateway.token("ann", life: .seconds(20)), gateway.token("bob", life: .seconds(20)))
    let (ann, bob, cy, dan) = (
      gateway.connect(two), gateway.connect(one), gateway.connect(gateway.token("cy", life: .seconds(20))),
      gateway.connect(gateway.token("dan"))
    )
    gateway.world.advance(by: .seconds(10))
    #expect(gateway.order { try? await $0.control(UserID("cy"), .askForRefresh) } == 1)
    gateway.world.advance(by: .seconds(10))
    #expect(gateway.order { try? await $0.control(UserID("dan"), .askForRefresh) } == 1)
    func asked(_ peer: SimulatedPeer) -> [String] { peer.texts.filter { $0.contains("refresh_required") } }
    let due = #"{"type":"refresh_required","cause":"expiry","timeout_ms":60000}"#
    let wanted = #"{"type":"refresh_required","cause":"request","timeout_ms":60000}"#
    gateway.world.settle()
    #expect(asked(ann) == [due] && asked(bob) == [due] && asked(cy) == [wanted] && asked(dan) == [wanted])
  }
}
