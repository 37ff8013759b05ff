import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

struct AdvanceTests {
  @Test
  func
    `a hosted space's time stands still while a client thinks, so that its answer comes at the time of its question`()
    throws
  {
    let plain = try PlainHouse()
    let space = plain.house.spaces[0]
    var told: [Duration] = []
    let start = space.loop.now
    let client = plain.connectRefreshing(after: .milliseconds(300)) {
      told.append(space.loop.now - start)
      return space.loop.wallTime
    }
    let advance = try #require(try plain.advance(by: .seconds(3_700))?.get())
    #expect(advance.isAnswered && advance.moved == .seconds(3_700) && client.refreshes == 1)
    #expect(told.count == 1 && told[0] < .seconds(3_601), "300 ms of the client's were a minute here")
    #expect(space.loop.now - start >= .seconds(3_700))
  }

  @Test
  func `an advance waits once for a client that stays silent, and then times it out`() throws {
    let plain = try PlainHouse()
    let (ann, before) = (plain.connect(), plain.world.now)
    let first = try #require(try plain.advance(by: .seconds(3_630))?.get())
    #expect(first.owing.map(\.user) == [UserID("ann")] && first.owing[0].phase == "refreshing")
    #expect(ann.isOpen && plain.world.now - before < .milliseconds(1_100))
    let second = try #require(try plain.advance(by: .seconds(40))?.get())
    plain.world.settle()
    plain.world.advance(by: .seconds(1))
    #expect(second.owing.isEmpty && second.cutOff == 1 && !second.isAnswered)
    #expect(ann.ending?.code == CloseReason.refreshTimeout.code)
  }

  @Test
  func `an advance counts the clients it timed out even if it ends before the closing handshake`() throws {
    let plain = try PlainHouse()
    let ann = plain.connect()
    _ = plain.advance(by: .seconds(3_600), until: .refreshRequired)
    let advance = try #require(try plain.advance(by: .seconds(61), patience: .zero)?.get())
    #expect(advance.cutOff == 1 && advance.owing.isEmpty && !advance.isAnswered)
    plain.world.advance(by: .seconds(1))
    #expect(ann.ending?.code == CloseReason.refreshTimeout.code)
    let next = try #require(try plain.advance(by: .seconds(61))?.get())
    #expect(next.cutOff == 0 && next.isAnswered, "it was counted once")
  }

  @Test
  func `an advance can leave the time of day unchanged, for tokens that another server mints by the real time`() throws
  {
    let plain = try PlainHouse()
    let client = plain.connectRefreshing { [world = plain.world] in world.wallTime }
    let advance = try #require(try plain.advance(by: .seconds(7_300), wall: .stays)?.get())
    #expect(advance.isAnswered && client.isOpen && client.refreshes == 2)
    #expect(plain.wallTime(of: 0) == plain.world.wallTime)
    let other = try PlainHouse()
    let refused = other.connectRefreshing { [world = other.world] in world.wallTime }
    _ = other.advance(by: .seconds(7_300))
    #expect(refused.refreshes == 0, "by the time of day that was moved those tokens have expired")
  }

  @Test
  func `an advance lists what sleeps while no time passes, and for how long`() throws {
    let provider = try TokenProviderPolicy(latency: .seconds(2))
    for isFrozen in [true, false] {
      let plain = try PlainHouse(isFrozen: isFrozen, provider: provider)
      let space = plain.house.spaces[0]
      #expect(space.sleeping.isEmpty)
      let minted = plain.fetch(0, "POST", "/v1/tokens", body: #"{"user_id":"ann"}"#)
      guard isFrozen else {
        #expect(space.sleeping.isEmpty, "it wakes by itself")
        continue
      }
      #expect(minted.value == nil && space.sleeping.map(\.purpose) == ["the token provider's latency"])
      let first = try #require(try plain.advance(by: .milliseconds(500))?.get())
      #expect(first.sleeping.map { $0.until - space.loop.now } == [.milliseconds(1_500)])
      let second = try #require(try plain.advance(by: .milliseconds(1_500))?.get())
      plain.world.settle()
      #expect(second.sleeping.isEmpty && minted.value != nil)
    }
  }

  @Test
  func `an advance stops at a refresh request if the caller asks for that`() throws {
    let plain = try PlainHouse()
    let ann = plain.connect()
    let advance = try #require(try plain.advance(by: .seconds(86_400), until: .refreshRequired)?.get())
    plain.world.settle()
    #expect((3_590...3_600).contains(advance.moved.inSeconds) && !advance.isAnswered)
    #expect(ann.texts.last?.contains("refresh_required") == true)
  }

  @Test
  func `an advance skips a waiting provider's latency, which is not the client's`() throws {
    let policy = try TokenProviderPolicy(latency: .seconds(5))
    let plain = try PlainHouse(provider: policy)
    let before = plain.world.now
    let answer = plain.fetch(0, "POST", "/v1/tokens", body: #"{"user_id":"ann"}"#)
    plain.world.advance(by: .milliseconds(100))
    #expect(answer.value == nil)
    _ = plain.advance(by: .seconds(10))
    plain.world.advance(by: .milliseconds(100))
    #expect(answer.value??.status == 200 && plain.world.now - before < .seconds(1))
  }

  @Test
  func `a frozen space stands still, and advances to the second`() throws {
    let plain = try PlainHouse(isFrozen: true)
    let (space, ann) = (plain.house.spaces[0], plain.connect())
    let (now, wall) = (space.loop.now, space.loop.wallTime)
    plain.world.advance(by: .seconds(5_000))
    #expect(space.loop.now == now && space.loop.wallTime == wall && ann.isOpen)
    #expect(!ann.texts.contains { $0.contains("refresh_required") })
    _ = plain.advance(by: .seconds(3_600))
    #expect(space.loop.now == now + .seconds(3_600) && space.loop.wallTime == wall + .seconds(3_600))
    #expect(ann.texts.last?.contains("refresh_required") == true)
    plain.world.advance(by: .seconds(100))
    #expect(space.loop.now == now + .seconds(3_600) && ann.isOpen)
    plain.house.end(space)
    #expect(ann.ending?.code == 1001)
  }

  @Test
  func `a space advances by a hundred years at most, and still ends after that`() throws {
    let plain = try PlainHouse()
    let space = plain.house.spaces[0]
    let ann = plain.connect(life: .seconds(1_000_000_000))
    for _ in 0..<10 {
      guard case .success = plain.advance(by: Advance.farthest, patience: .zero) else {
        Issue.record("ten years are too much")
        return
      }
    }
    #expect(space.moved == Advance.farthestInAll)
    guard case .failure(.tooFar) = plain.advance(by: .nanoseconds(1)) else {
      Issue.record("a hundred years are not enough")
      return
    }
    plain.house.end(space)
    #expect(ann.ending != nil)
  }

  @Test(arguments: [true, false])
  func `an advance does not time out a client because another user's token takes its time`(isFrozen: Bool) throws {
    let plain = try PlainHouse(isFrozen: isFrozen, provider: TokenProviderPolicy(latency: .seconds(7_200)))
    let space = plain.house.spaces[0]
    let client = plain.connectRefreshing(after: .milliseconds(300)) { space.loop.wallTime }
    let minted = plain.fetch(0, "POST", "/v1/tokens", body: #"{"user_id":"bob"}"#)
    let advance = try #require(try plain.advance(by: .seconds(3_700))?.get())
    #expect(advance.isAnswered && client.isOpen && client.refreshes == 1)
    #expect(minted.value == nil, "the other request was not under way")
  }

  @Test
  func `an advance also waits for a client that was asked before the advance`() throws {
    let plain = try PlainHouse(isFrozen: true)
    let space = plain.house.spaces[0]
    let client = plain.connectRefreshing(after: .milliseconds(300)) { space.loop.wallTime }
    let first = try #require(try plain.advance(by: .seconds(3_700), patience: .zero, until: .refreshRequired)?.get())
    #expect(first.owing.count == 1)
    let second = try #require(try plain.advance(by: .seconds(120))?.get())
    #expect(second.isAnswered && client.isOpen && client.refreshes == 1)
  }

  /// Lets ann's token expire and a refresh be requested, and requests the next token from the provider.
  private func fetchBehindExpiry(_ plain: PlainHouse) throws -> Started<HTTPResponse?> {
    _ = try plain.advance(by: .seconds(3_700), patience: .zero, until: .refreshRequired)?.get()
    return plain.fetch(0, "POST", "/v1/tokens", body: #"{"user_id":"ann"}"#)
  }

  @Test
  func `an advance times out a client whose token comes too late, but not before its patience has passed`() throws {
    let plain = try PlainHouse(isFrozen: true, provider: TokenProviderPolicy(latency: .seconds(100)))
    let ann = plain.connect()
    let minted = try fetchBehindExpiry(plain)
    let before = plain.world.now
    let advance = try #require(try plain.advance(by: .seconds(110))?.get())
    #expect(advance.cutOff == 1 && plain.world.now - before >= .seconds(1))
    plain.world.advance(by: .seconds(1))
    #expect(minted.value??.status == 200 && ann.ending?.code == CloseReason.refreshTimeout.code)
  }

  @Test
  func `an advance's patience does not delay a client whose token is ready in time`() throws {
    let plain = try PlainHouse(isFrozen: true, provider: TokenProviderPolicy(latency: .seconds(5)))
    let ann = plain.connect()
    let minted = try fetchBehindExpiry(plain)
    let before = plain.world.now
    let advance = try #require(try plain.advance(by: .seconds(6), patience: .seconds(30))?.get())
    plain.world.settle()
    #expect(minted.value??.status == 200 && advance.owing.count == 1 && ann.isOpen)
    #expect(
      plain.world.now - before <= .seconds(31), "it waits for what ann does with the token, and for nothing before")
  }

  @Test
  func `one advance runs at a time, and none after the space ends`() throws {
    let plain = try PlainHouse()
    let space = plain.house.spaces[0]
    _ = plain.connect()
    let failures = Started<[Advance.Failure?]>()
    let first = Started<Int>()
    plain.house.host.stage.start {
      first.end(with: (try? await space.advance(by: .seconds(3_700)).steps) ?? 0)
    }
    plain.house.host.stage.start {
      do throws(Advance.Failure) {
        _ = try await space.advance(by: .seconds(1))
        failures.end(with: [nil])
      } catch {
        failures.end(with: [error])
      }
    }
    plain.world.advance(by: .seconds(5))
    #expect(failures.value == [.alreadyUnderWay] && (first.value ?? 0) > 0)
    plain.house.end(space)
    guard case .failure(.ended) = plain.advance(by: .seconds(1)) else {
      Issue.record("time goes on in a space that has ended")
      return
    }
  }
}
