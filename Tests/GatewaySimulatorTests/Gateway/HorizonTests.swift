import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

struct HorizonTests {
  /// Returns the horizon from the sessions themselves, one by one.
  private func scan(_ gateway: SimulatedGateway) throws -> (HorizonReading, kinds: [UserKind: UInt64]) {
    let sessions = try #require(gateway.order { await $0.sessions(of: nil, after: nil, limit: 10_000) })
    let now = gateway.world.now
    var (reading, kinds) = (HorizonReading(), [UserKind: UInt64]())
    for session in sessions {
      if let kind = session.kind { kinds[kind, default: 0] += 1 }
      guard let left = session.expiresIn else { continue }
      switch ExpiryHorizon.second(of: now + left) - ExpiryHorizon.second(of: now) {
      case ..<0: reading.overdue += 1
      case let ahead where ahead < 3_600: reading.seconds[Int(ahead)] += 1
      default: reading.later += 1
      }
    }
    return (reading, kinds)
  }

  @Test(.long, arguments: 0..<12)
  func `the horizon equals a look at every session, whatever happens to them`(seed: UInt64) throws {
    let gateway = try SimulatedGateway(seed: seed, loops: 2, keepsTrace: false)
    var chance = SeededGenerator(seed: seed)
    var peers: [(peer: SimulatedPeer, user: String)] = []
    var seen = 0
    for step in 0..<160 {
      let life = [5, 59, 300, 3_600, 86_400].randomElement(using: &chance)!
      let token = { (user: String) in
        gateway.token(user, user.hasSuffix("7") ? .guest : .regular, life: life == 59 ? nil : .seconds(life))
      }
      let place = peers.isEmpty ? 0 : Int.random(in: peers.indices, using: &chance)
      switch Int.random(in: 0..<12, using: &chance) {
      case 0..<4:
        let user = "user \(Int.random(in: 0..<30, using: &chance))"
        peers.append((gateway.connect(token(user)), user))
      case 4 where !peers.isEmpty, 5 where !peers.isEmpty:
        peers[place].peer.say(gateway.dialect.encode(.refresh(token(peers[place].user))))
      case 6 where !peers.isEmpty: peers.remove(at: place).peer.close(.normal)
      case 7 where !peers.isEmpty: peers[place].peer.say(Frame(text: #"{"type":"logout","id":"1"}"#))
      case 8 where !peers.isEmpty:
        let user = UserID(peers[place].user)
        _ = gateway.order { try? await $0.control(user, .expireNow) }
      case 9:
        let before = gateway.world.wallTime
        let user = UserID("user \(Int.random(in: 0..<30, using: &chance))")
        _ = gateway.order { try? await $0.revoke(.user(user, issuedBefore: before)) }
      case 10: gateway.world.advance(by: .seconds(Int.random(in: 1...400, using: &chance)))
      default: gateway.world.advance(by: .milliseconds(Int.random(in: 1...2_500, using: &chance)))
      }
      gateway.world.settle()
      guard step % 3 == 0 else { continue }
      let (expected, kinds) = try scan(gateway)
      let reading = try #require(gateway.order { await $0.horizon().reading })
      #expect(reading == expected)
      let counted = try #require(gateway.order { await $0.usersByDialect().flatMap(\.counts) })
      for kind in UserKind.allCases { #expect(counted.first { $0.kind == kind }?.count == kinds[kind, default: 0]) }
      seen = max(seen, reading.within(3_600) + reading.later)
    }
    #expect(seen >= 5, "this run has looked at nothing")
  }

  private func spread(_ order: SpreadOrder, in gateway: SimulatedGateway) -> SpreadOrder.Outcome? {
    gateway.order { try? await $0.spread(order) } ?? nil
  }

  private static func requests(_ peers: [SimulatedPeer]) -> Int {
    peers.reduce(0) { $0 + $1.texts.count { $0.contains("refresh_required") } }
  }

  @Test
  func `a coming wave is spread so that each session is asked once, evenly, and only while it needs a token`() throws {
    let gateway = try SimulatedGateway(loops: 2, keepsTrace: false)
    let wave = gateway.world.wallTime + .seconds(600)
    let peers = (0..<100).map { gateway.connect(gateway.token("user \($0)", life: .seconds(600))) }
    let others = (0..<10).map { gateway.connect(gateway.token("other \($0)", life: .seconds(900))) }
    let order = SpreadOrder(from: wave - .seconds(5), before: wave + .seconds(5))
    let outcome = try #require(spread(order, in: gateway))
    #expect(outcome.sessions == 100 && (599...600).contains(outcome.over.inSeconds))
    // A second order finds no session that is not scheduled already.
    #expect(spread(order, in: gateway)?.sessions == 0)
    // Two disconnect, and one refreshes by itself: it lives longer, and gets no request.
    peers[98].close(.normal)
    peers[99].close(.normal)
    peers[97].say(gateway.dialect.encode(.refresh(gateway.token("user 97", life: .seconds(7_200)))))
    gateway.world.settle()
    var (each, answered) = ([Int](), Set<Int>())
    for _ in 0..<10 {
      let before = Self.requests(peers)
      gateway.world.advance(by: .seconds(59.5))
      for place in peers.indices.dropLast(2)
      where Self.requests([peers[place]]) == 1 && answered.insert(place).inserted {
        peers[place].say(gateway.dialect.encode(.refresh(gateway.token("user \(place)", life: .seconds(3_600)))))
      }
      gateway.world.settle()
      each.append(Self.requests(peers) - before)
    }
    #expect(each.reduce(0, +) == 97 && each.allSatisfy { (8...12).contains($0) }, "\(each)")
    #expect(Self.requests([peers[97]]) == 0 && Self.requests(others) == 0)
    gateway.world.advance(by: .seconds(60))
    #expect(Self.requests(peers) == 97, "nobody is asked when the wave would have come")
    #expect(peers.dropLast(2).allSatisfy { $0.isOpen })
    let reading = try #require(gateway.order { await $0.horizon().reading })
    #expect((reading.buckets(of: 10).max() ?? 0) <= 10 + 2, "the next wave is none")
  }

  @Test
  func `a cancelled spread asks no further session, and the wave can be spread again`() throws {
    let gateway = try SimulatedGateway(loops: 2, keepsTrace: false)
    let wave = gateway.world.wallTime + .seconds(600)
    let peers = (0..<100).map { gateway.connect(gateway.token("user \($0)", life: .seconds(600))) }
    let order = SpreadOrder(from: wave - .seconds(5), before: wave + .seconds(5))
    let number = try #require(spread(order, in: gateway)?.order)
    gateway.world.advance(by: .seconds(300))
    let asked = Self.requests(peers)
    #expect((45...55).contains(asked))
    let progress = try #require(gateway.order { await $0.spreadsUnderWay() })
    #expect(progress.map(\.order) == [number] && progress[0].waiting == 100 - asked)
    #expect((290...300).contains(progress[0].left.inSeconds))
    let spared = gateway.order { await $0.takeBackSpread(number) } ?? nil
    #expect(spared?.sessions == 100 - asked)
    #expect((gateway.order { await $0.takeBackSpread(number) } ?? nil) == nil, "it is under way no more")
    #expect((gateway.order { await $0.takeBackSpread(.max) } ?? nil) == nil)
    gateway.world.advance(by: .seconds(30))
    #expect(Self.requests(peers) == asked)
    let again = try #require(spread(order, in: gateway))
    #expect(again.sessions == 100 - asked && again.order != number)
  }

  @Test
  func `the horizon accepts no more orders at once than its limit, and no order traps`() throws {
    let gateway = try SimulatedGateway(loops: 1, keepsTrace: false)
    _ = (0..<40).map { gateway.connect(gateway.token("user \($0)", life: .seconds(600 + $0))) }
    let wall = gateway.world.wallTime
    let ends = [WallTime(nanoseconds: .min), wall, wall + .seconds(700), WallTime(nanoseconds: .max)]
    for from in ends {
      for before in ends where before <= from {
        #expect(spread(SpreadOrder(from: from, before: before), in: gateway)?.sessions == 0)
      }
    }
    for number in 0..<20 {
      let from = wall + .milliseconds(600_000 + number * 1_000 - 500)
      let order = SpreadOrder(from: from, before: from + .seconds(1), over: .seconds(Int64.max))
      #expect(spread(order, in: gateway)?.sessions == (number < 16 ? 1 : nil))
    }
    gateway.world.advance(by: .seconds(605))
    let order = SpreadOrder(from: WallTime(nanoseconds: .min), before: WallTime(nanoseconds: .max), over: .zero)
    #expect((spread(order, in: gateway)?.sessions ?? 0) > 0)
  }
}
