import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import TestTraits
import Testing

struct HostedSpaceTests {
  @Test
  func `a hosted space has a time of its own: a day forward closes nobody and pings nobody`() throws {
    let plain = try PlainHouse()
    let ann = plain.connect(life: .seconds(3 * 86_400))
    let before = plain.world.now
    #expect(try plain.advance(by: .seconds(86_400))?.get().moved == .seconds(86_400))
    plain.world.settle()
    #expect(plain.world.now - before < .seconds(1), "the network's time was moved too")
    #expect(ann.isOpen && !ann.events.contains { $0.event == .ping })
    #expect(plain.wallTime(of: 0) - plain.world.wallTime == .seconds(86_400))
    plain.world.advance(by: .seconds(31))
    #expect(ann.events.count { $0.event == .ping } == 1, "silence is measured in the network's time")
    ann.faults.answersPings = false
    plain.world.advance(by: .seconds(45))
    #expect(ann.ending?.code == CloseReason.livenessTimeout.code)
  }

  @Test(.long)
  func `a hosted space notices nothing when half of 200 spaces on its loop are moved by three days`() throws {
    let plain = try PlainHouse(spaces: 200)
    let spaces = plain.house.spaces
    let clients = spaces.indices.map { number in
      plain.connectRefreshing(number, life: .seconds(86_000)) { spaces[number].loop.wallTime }
    }
    #expect(clients.allSatisfy { $0.isOpen })
    for number in spaces.indices where number % 2 == 1 {
      let advance = try #require(try plain.advance(number, by: .seconds(3 * 86_400))?.get())
      #expect(advance.isAnswered && advance.steps < 20)
    }
    plain.world.advance(by: .seconds(20))
    #expect(clients.allSatisfy { $0.isOpen && $0.pings == 0 })
    for (number, client) in clients.enumerated() { #expect(client.refreshes == (number % 2 == 1 ? 3 : 0)) }
    for (number, space) in spaces.enumerated() {
      #expect(space.loop.wallTime - plain.world.wallTime == (number % 2 == 1 ? .seconds(3 * 86_400) : .zero))
      #expect(space.connectionCount == 1)
    }
  }

  @Test
  func `a hosted space answers over HTTP in its own time`() throws {
    let plain = try PlainHouse(spaces: 2)
    _ = plain.advance(1, by: .seconds(86_400))
    func issuedAt(_ space: Int) -> Int? {
      let answer = plain.fetch(space, "POST", "/v1/tokens", body: #"{"user_id":"ann","life_s":600}"#)
      plain.world.advance(by: .seconds(1))
      return answer.value??.member("expires_at").flatMap { Int($0) }
    }
    let (here, there) = (try #require(issuedAt(0)), try #require(issuedAt(1)))
    #expect((86_395...86_405).contains(there - here))
  }

  @Test
  func `a hosted space ends completely: sockets with 1001, requests with an answer, and nothing left`()
    throws
  {
    let provider = try TokenProviderPolicy(latency: .seconds(50))
    var plain = try PlainHouse(spaces: 2, provider: provider)
    let (ann, mute, other) = (plain.connect(0), plain.connect(0), plain.connect(1))
    mute.faults.answersClose = false
    let request = plain.fetch(0, "POST", "/v1/tokens", body: #"{"user_id":"ann"}"#)
    plain.world.advance(by: .seconds(1))
    #expect(request.value == nil)
    weak let space: HostedSpace? = plain.house.spaces[0]
    weak let gateway: Gateway? = space?.space?.gateway
    weak let loop: EventLoop? = space?.loop
    weak let table: LoopTable? = gateway?.tables[0]
    weak let store: FaultyStore? = plain.house.stores[0]
    weak let connection: Connection? = table?.inOrder.first
    #expect(connection != nil && store != nil && loop != nil)
    let before = plain.world.now
    plain.house.end(plain.house.spaces[0])
    #expect(plain.world.now - before < .seconds(6))
    plain.world.advance(by: .seconds(1))
    #expect(ann.ending?.code == 1001 && mute.ending != nil && other.isOpen)
    #expect(request.value??.status == 200, "it does not sleep on")
    let late = plain.connect(0)
    #expect(late.refusal == .refused(status: 503))
    plain.house.forget()
    plain.world.advance(by: .seconds(60))
    #expect(connection == nil && table == nil && gateway == nil && store == nil)
    #expect(loop == nil && space == nil)
    #expect(other.isOpen)
  }

  @Test
  func `a hosted space is forgotten ten minutes after its last request or socket`() throws {
    let plain = try PlainHouse(spaces: 2)
    let ann = plain.connect(0, life: .seconds(86_400))
    plain.world.advance(by: .seconds(590))
    _ = plain.fetch(1, "GET", "/v1/nothing")
    plain.world.advance(by: .seconds(20))
    #expect(plain.house.spaces.allSatisfy { !$0.isEnding })
    plain.world.advance(by: .seconds(595))
    #expect(plain.house.spaces.map(\.isEnding) == [false, true])
    ann.close()
    plain.world.advance(by: .seconds(590))
    #expect(!plain.house.spaces[0].isEnding)
    plain.world.advance(by: .seconds(15))
    #expect(plain.house.spaces[0].isEnding)
  }

  @Test
  func `a hosted space bounds its connections, and stores a hundredth of what a gateway may`() throws {
    var limits = HostedLimits()
    limits.connectionsMax = 2
    let plain = try PlainHouse(limits: limits)
    let two = [plain.connect(), plain.connect()]
    #expect(plain.connect().refusal == .refused(status: 503))
    two[0].close()
    plain.world.advance(by: .seconds(1))
    #expect(plain.connect().isOpen && two[1].isOpen)
    #expect(plain.house.gateway(0).configuration.revocationsMax == 10_000)
  }
}
