import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct GatewayOrdersTests {
  private func gateway(_ revocation: SessionPolicy.RevocationAction = .refresh) throws -> SimulatedGateway {
    try SimulatedGateway(GatewayConfiguration(session: try SessionPolicy(revocation: revocation)))
  }

  private static let asked = ServerNotice.refreshRequired(timeout: .seconds(60))

  @Test
  func `a revoked user is asked for another token on every connection, and the old one is refused from then on`() throws
  {
    let gateway = try gateway()
    let old = gateway.token()
    let peers = (0..<4).map { _ in gateway.connect(old) }
    let other = gateway.connect(gateway.token("bob"))
    gateway.world.advance(by: .seconds(10))
    let now = gateway.world.wallTime
    #expect(gateway.order { try? await $0.revoke(.user(UserID("ann"), issuedBefore: now)) } == 4)
    for peer in peers {
      #expect(gateway.notices(peer).last == Self.asked)
      #expect(peer.texts.last?.contains(#""cause":"revocation""#) == true)
    }
    #expect(gateway.notices(other).count == 1)
    #expect(gateway.connect(old).refusal == .refused(status: 401))
    peers[0].say(gateway.dialect.encode(.refresh(old)))
    peers[1].say(gateway.dialect.encode(.refresh(gateway.token())))
    gateway.world.settle()
    #expect(gateway.notices(peers[0]).last == .error(number: 401_009, name: "token_revoked"))
    #expect(gateway.notices(peers[1]).last == .refreshed)
    gateway.world.advance(by: .seconds(60))
    #expect(peers.map(\.isOpen) == [false, true, false, false] && other.isOpen)
  }

  @Test
  func
    `a revoked token closes its connections with 4004 if the policy says so, and other connections of the user stay`()
    throws
  {
    let gateway = try gateway(.close)
    let token = gateway.token()
    let revoked = gateway.connect(token)
    let other = gateway.connect(gateway.token())
    let fingerprint = try #require(
      gateway.order { await $0.sessions(of: UserID("ann"), after: nil, limit: 1) }?.first?.fingerprint)
    #expect(gateway.order { try? await $0.revoke(.token(fingerprint)) } == 1)
    #expect(revoked.ending?.code == 4004)
    #expect(other.isOpen)
  }

  @Test
  func `a revocation of all tokens issued before a time is carried out in slices, on all loops`() throws {
    let gateway = try gateway(.close)
    let peers = (0..<300).map { gateway.connect(gateway.token("user \($0)")) }
    gateway.world.advance(by: .seconds(10))
    let late = gateway.connect(gateway.token("late"))
    let before = gateway.world.wallTime
    #expect(gateway.order { try? await $0.revoke(.everybody(issuedBefore: before)) } == 300)
    gateway.world.settle()
    #expect(peers.allSatisfy { $0.ending?.code == 4004 } && late.isOpen)
    #expect(gateway.connectionCount == 1)
  }

  @Test
  func `a token revoked while it is verified is refused when its verdict arrives`() throws {
    let gateway = try SimulatedGateway(judgement: .seconds(5))
    let peer = gateway.connect(gateway.token())
    gateway.world.advance(by: .seconds(1))
    let before = gateway.world.wallTime
    #expect(gateway.order { try? await $0.revoke(.user(UserID("ann"), issuedBefore: before)) } == 0)
    gateway.world.advance(by: .seconds(4))
    #expect(gateway.notices(peer) == [.error(number: 401_009, name: "token_revoked")])
    #expect(peer.ending?.code == 4500)
  }

  @Test
  func `one connection, a user's or all are asked, expired or disconnected, and unknown ones are not found`() throws {
    let gateway = try gateway()
    let peers = (0..<3).map { _ in gateway.connect(gateway.token()) }
    let ids = gateway.order { await $0.sessions(of: nil, after: nil, limit: 10) }?.map(\.id) ?? []
    #expect(ids.count == 3)
    #expect(gateway.order { try? await $0.control(ids[0], .askForRefresh) } == true)
    #expect(gateway.order { try? await $0.control(ConnectionID(loop: 1, serial: 99), .askForRefresh) } == false)
    #expect(gateway.order { try? await $0.control(ConnectionID(loop: 9, serial: 1), .askForRefresh) } == false)
    #expect(peers.map { gateway.notices($0).count } == [2, 1, 1])
    #expect(gateway.order { try? await $0.controlAll(.expireNow) } == 3)
    #expect(peers.map { gateway.notices($0).count } == [2, 2, 2])
    let reason = try #require(CloseReason(code: 4_321, name: "because"))
    #expect(gateway.order { try? await $0.control(UserID("ann"), .disconnect(reason)) } == 3)
    #expect(peers.allSatisfy { $0.ending?.code == 4_321 && $0.ending?.name == "because" })
    #expect(gateway.order { try? await $0.control(UserID("ann"), .disconnect(reason)) } == 0)
  }

  @Test
  func `a name of another node, boot or loop finds no connection with the same count`() throws {
    var configuration = GatewayConfiguration(session: try SessionPolicy())
    let life = NodeBoot(node: 17, boot: 3)
    configuration.life = life
    let gateway = try SimulatedGateway(loops: 1, configuration)
    let peer = gateway.connect(gateway.token())
    let own = ConnectionID(life, loop: 0, count: 1)
    #expect(gateway.order { await $0.session(own)?.id } == own)
    let call = try #require(CallID(cid: "default:a"))
    for other in [
      ConnectionID(.first, loop: 0, count: 1), ConnectionID(life.next, loop: 0, count: 1),
      ConnectionID(NodeBoot(node: 1, boot: 3), loop: 0, count: 1), ConnectionID(life, loop: 1, count: 1),
      ConnectionID(life, loop: 255, count: 1), ConnectionID(rawValue: .max), ConnectionID(rawValue: 0),
    ] {
      #expect(gateway.order { await $0.session(other) == nil } == true)
      #expect(gateway.order { try? await $0.control(other, .disconnect(.normal)) } == false)
      #expect(gateway.order { await $0.control(SessionFilter(connections: [other]), .disconnect(.normal)) } == 0)
      #expect(gateway.order { await $0.user(of: other) == nil } == true)
      #expect(gateway.order { await $0.watch(call, by: other) } == false)
      gateway.order { $0.announce(Announcement(to: .connection(other), [DialectFrame("plain", Frame(text: "no"))])) }
    }
    #expect(peer.isOpen && gateway.notices(peer).count == 1)
    let before = ConnectionID(.first, loop: 9, count: 9)
    let after = ConnectionID(NodeBoot(node: 18, boot: 0), loop: 0, count: 0)
    #expect(gateway.order { await $0.sessions(of: nil, after: before, limit: 9).count } == 1)
    #expect(gateway.order { await $0.sessions(of: nil, after: after, limit: 9).count } == 0)
  }

  @Test
  func `sessions are listed a page at a time, in order, over the loops`() throws {
    let gateway = try gateway()
    let peers = (0..<10).map { gateway.connect(gateway.token("user \($0 % 3)")) }
    #expect(peers.allSatisfy { $0.isOpen })
    var listed: [ConnectionID] = []
    while true {
      let last = listed.last
      let page = gateway.order { await $0.sessions(of: nil, after: last, limit: 3) } ?? []
      if page.isEmpty { break }
      listed += page.map(\.id)
    }
    #expect(listed == (0..<2).flatMap { loop in (1...5).map { ConnectionID(loop: loop, serial: UInt64($0)) } })
    #expect(gateway.order { await $0.sessions(of: UserID("user 1"), after: nil, limit: 10) }?.count == 3)
    #expect(gateway.order { await $0.phases() }?.filter { $0.value > 0 } == ["active": 10])
  }

  @Test
  func `a drain tells every client, closes each in its own time within the window, and accepts no new ones`() throws {
    let gateway = try gateway()
    let peers = (0..<200).map { gateway.connect(gateway.token("user \($0)")) }
    let silent = gateway.connect()
    let order = gateway.gateway
    gateway.world.loops[0].stage.start { await order.drain(over: .seconds(30)) }
    gateway.world.settle()
    #expect(silent.ending?.code == 1012)
    #expect(peers.allSatisfy { gateway.notices($0).last == .closing(name: "service_restart") })
    #expect(gateway.connect(gateway.token()).refusal == .refused(status: 503))
    #expect(peers.filter(\.isOpen).count > 190)
    gateway.world.advance(by: .seconds(15))
    #expect((60...140).contains(peers.filter(\.isOpen).count), "about half of them at half time")
    peers.first(where: \.isOpen)?.say(gateway.dialect.encode(.ping))
    gateway.world.advance(by: .seconds(15))
    #expect(peers.allSatisfy { $0.ending?.code == 1012 && $0.ending?.name == "service_restart" })
    #expect(gateway.connectionCount == 0)
  }

  @Test
  func `a drain ends with the last connection, even if a client never finishes the closing handshake`() throws {
    let gateway = try gateway()
    let peers = (0..<3).map { gateway.connect(gateway.token("user \($0)")) }
    peers[1].faults.answersClose = false
    peers[2].faults.isHalfOpen = true
    let order = gateway.gateway
    let isOver: Bool? = gateway.world.ask {
      await order.drain(over: .seconds(10))
      return true
    }
    #expect(isOver == true)
    #expect(gateway.world.now <= .seconds(15), "the window and the close timeout")
    #expect(peers[0].ending?.code == 1012)
  }

  @Test
  func `tokens expire during a drain, and no client outlives its own by more than the timeout`() throws {
    let gateway = try gateway()
    let peer = gateway.connect(gateway.token(life: .seconds(100)))
    gateway.world.advance(by: .seconds(90))
    let order = gateway.gateway
    gateway.world.loops[0].stage.start { await order.drain(over: .seconds(86_400)) }
    gateway.world.advance(by: .seconds(70))
    #expect(peer.ending?.at ?? .distantFuture <= .seconds(160))
    #expect(!gateway.notices(peer).contains(Self.asked))
  }
}
