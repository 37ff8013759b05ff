import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

struct HostedStreamTests {
  let feed = TestFeed()

  /// Reads the feed on the host, like a connection there.
  private func read(_ plain: PlainHouse) -> (reader: Task<String, Never>, whole: Started<String>) {
    let (space, host, whole) = (plain.house.spaces[0], plain.house.host, Started<String>())
    let reader = host.eventLoop.asCurrent {
      host.stage.begin {
        let request = HTTPRequest(method: "GET", path: "/feed")
        let response = await space.site.respond(to: request, on: host.eventLoop)
        var text = ""
        while let piece = await response.stream?.next() {
          host.eventLoop.preconditionOnLoop()
          text += String(decoding: piece, as: UTF8.self)
        }
        whole.end(with: text)
        return text
      }
    }
    plain.world.settle()
    return (reader, whole)
  }

  private func give(_ text: String, in plain: PlainHouse) {
    feed.give(text)
    plain.world.settle()
  }

  @Test
  func `a stream of a hosted space runs on the inner loop, and ends with the space`() throws {
    var plain = try PlainHouse(vendors: [feed])
    let fetched = plain.fetch(0, "GET", "/feed")
    plain.world.advance(by: .seconds(1))
    for text in ["one ", "two"] { give(text, in: plain) }
    plain.world.advance(by: .seconds(1))
    #expect(fetched.value == nil)
    let before = plain.world.now
    plain.house.end(plain.house.spaces[0])
    #expect(plain.world.now == before, "nobody waits for a reader")
    plain.world.advance(by: .seconds(1))
    #expect(fetched.value??.text == "one two" && feed.cancelled == 1)
    weak let space: HostedSpace? = plain.house.spaces[0]
    plain.house.forget()
    plain.world.advance(by: .seconds(60))
    #expect(space == nil)
  }

  @Test
  func `a stream of a hosted space is released when its reader goes`() throws {
    var plain = try PlainHouse(vendors: [feed])
    let (reader, whole) = read(plain)
    give("one", in: plain)
    #expect(feed.cancelled == 0 && whole.value == nil)
    reader.cancel()
    plain.world.settle()
    #expect(feed.cancelled == 1 && whole.value == "one")
    plain.house.end(plain.house.spaces[0])
    weak let space: HostedSpace? = plain.house.spaces[0]
    plain.house.forget()
    plain.world.advance(by: .seconds(60))
    #expect(space == nil)
  }

  @Test
  func `a stream of a hosted space is no request that an advance waits for`() throws {
    let plain = try PlainHouse(vendors: [feed])
    let space = plain.house.spaces[0]
    let (_, whole) = read(plain)
    var told: [Duration] = []
    let start = space.loop.now
    let client = plain.connectRefreshing(after: .milliseconds(300)) {
      told.append(space.loop.now - start)
      return space.loop.wallTime
    }
    let advance = try #require(try plain.advance(by: .seconds(3_700))?.get())
    #expect(advance.isAnswered && client.refreshes == 1)
    #expect(told.count == 1 && told[0] < .seconds(3_601), "the client was given its time")
    give("one", in: plain)
    feed.end()
    plain.world.settle()
    #expect(whole.value == "one")
  }

  @Test
  func `a stream of a hosted space keeps the space in use, as a socket does`() throws {
    let plain = try PlainHouse(vendors: [feed])
    let (_, whole) = read(plain)
    plain.world.advance(by: .seconds(3_600))
    #expect(!plain.house.spaces[0].isEnding)
    feed.end()
    plain.world.advance(by: .seconds(590))
    #expect(whole.value == "" && !plain.house.spaces[0].isEnding)
    plain.world.advance(by: .seconds(15))
    #expect(plain.house.spaces[0].isEnding)
  }

  @Test
  func `a stream of a hosted space is read over a socket, and is complete when the space ends`() async throws {
    var (settings, _) = try PlainHouse.settings()
    settings.vendors.append(feed)
    try await TestPlace.runHostedOverSockets(settings) { [feed] world, hosted in
      let reading = Task.immediate(executorPreference: world.loop) { try await world.fetch("GET", "/feed") }
      feed.give("one ")
      feed.give("two")
      #expect(await world.wait { await hosted.ask { _ in feed.given == 2 } })
      await hosted.ask { await $0.end() }
      let answer = try await reading.value
      #expect(answer.text == "one two")
    }
  }
}
