import GatewayCore
import GatewayRuntime
import GatewaySimulator
import Synchronization
import TestSupport
import Testing

@testable import GatewayIdentity

/// The promises to every part that asks the application's own servers, over sockets and in virtual time.
@Suite(.timeLimit(.minutes(2)))
struct EndpointCallerTests {
  private static func good(_ text: String = "yes") -> HTTPResponse {
    HTTPResponse(status: 200, contentType: "text/plain", text: text)
  }

  @Test(arguments: OutboundPlace.allCases)
  func `two hundred questions at once are all answered, sixty-four at a time`(place: OutboundPlace) async throws {
    let site = AnsweringSite { _, _, loop in
      await loop.sleep(until: loop.now + .milliseconds(20))
      return Self.good()
    }
    try await place.run(site) { scene in
      let results = await scene.ask(try scene.endpoint(), times: 200)
      #expect(results.allSatisfy { $0 == .success("yes") } && results.count == 200)
      #expect(scene.counts == [.read: 200])
    }
    #expect(site.requests.count == 200 && site.most <= 64)
    // A busy machine may be slower to ask than the server is to answer.
    #expect(place == .sockets || site.most == 64)
  }

  @Test(arguments: OutboundPlace.allCases)
  func `a redirect and an answer above the limit are failures`(place: OutboundPlace) async throws {
    let site = AnsweringSite { request, _, _ in
      switch request.path {
      case "/moved": HTTPResponse(status: 302, headers: [HTTPField("location", "/yes")])
      case "/big": Self.good(String(repeating: "x", count: 2_000))
      default: Self.good()
      }
    }
    try await place.run(site) { scene in
      #expect(await scene.ask(try scene.endpoint("/moved")) == .failure(OutboundFailure(status: 302)))
      guard case .failure(let failure) = await scene.ask(try scene.endpoint("/big", bytes: 1_999)) else {
        Issue.record("it was read")
        return
      }
      #expect(failure.result == .unreachable && failure.description == "the response is above 1999 bytes")
      #expect(
        await scene.ask(try scene.endpoint("/big", bytes: 2_000)) == .success(String(repeating: "x", count: 2_000)))
    }
    #expect(site.requests.count == 3)
  }

  @Test(arguments: OutboundPlace.allCases)
  func `a request to a server that fails for a moment is repeated, one to a server that refuses or hangs is not`(
    place: OutboundPlace
  )
    async throws
  {
    let site = AnsweringSite { request, number, loop in
      switch request.path {
      case "/moment": return number == 1 ? HTTPResponse(status: 500) : Self.good()
      case "/hang":
        await loop.sleep(until: loop.now + .seconds(2))
        return Self.good()
      default: return HTTPResponse(status: 404)
      }
    }
    try await place.run(site) { scene in
      #expect(await scene.ask(try scene.endpoint("/moment", tries: 2)) == .success("yes"))
      #expect(await scene.ask(try scene.endpoint("/none", tries: 2)) == .failure(OutboundFailure(status: 404)))
      let hung = await scene.ask(try scene.endpoint("/hang", timeout: .milliseconds(300), tries: 2))
      #expect(hung == .failure(OutboundFailure("no answer in time", .timedOut)))
      #expect(scene.counts == [.read: 1, .refused: 2, .timedOut: 1])
    }
    #expect(site.requests.count == 4)
  }

  @Test
  func `a place in the queue counts into the timeout, and the breaker spares a hanging server the whole queue`()
    async throws
  {
    let site = AnsweringSite { _, _, loop in
      await loop.sleep(until: loop.now + .seconds(100))
      return Self.good()
    }
    try await OutboundPlace.virtualTime.run(site) { scene in
      let endpoint = try scene.endpoint(timeout: .seconds(20))
      let begun = scene.loop.now
      let results = await scene.ask(endpoint, times: 1_000)
      #expect(results.count == 1_000 && !results.contains { if case .success = $0 { true } else { false } })
      #expect(scene.loop.now - begun <= .seconds(41))
      #expect(scene.counts[.timedOut] ?? 0 >= 64 && scene.counts.values.reduce(0, +) == 1_000)
    }
    #expect(site.requests.count <= 64 + 5)
  }

  @Test
  func `ten thousand requests wait for a place, and one more is refused`() {
    let world = SimulatedWorld(seed: 1, loops: 1, keepsTrace: false)
    let (slots, loop, stage) = (CallSlots(), world.loops[0].eventLoop, world.loops[0].stage)
    let entries = Mutex<[CallSlots.Entry: Int]>([:])
    func enter(_ count: Int) {
      for _ in 0..<count {
        stage.start {
          let entry = await slots.enter(on: loop, until: loop.now + .seconds(10))
          entries.withLock { $0[entry, default: 0] += 1 }
        }
      }
      world.settle()
    }
    enter(64 + CallSlots.waitingMax)
    #expect(
      slots.counts.inFlight == 64 && slots.counts.waiting == CallSlots.waitingMax
        && entries.withLock { $0 } == [.entered: 64])
    enter(3)
    #expect(entries.withLock { $0 } == [.entered: 64, .full: 3])
    for _ in 0..<10 { slots.leave() }
    world.settle()
    #expect(
      slots.counts.inFlight == 64 && slots.counts.waiting == CallSlots.waitingMax - 10
        && entries.withLock { $0[.entered] } == 74)
    world.advance(by: .seconds(11))
    #expect(
      slots.counts.inFlight == 64 && slots.counts.waiting == 0
        && entries.withLock { $0[.late] } == CallSlots.waitingMax - 10)
    for _ in 0..<64 { slots.leave() }
    #expect(slots.counts.inFlight == 0 && slots.counts.waiting == 0)
  }

  @Test
  func `an endpoint that fails five times is asked once a second, and after three good answers as ever`() async throws {
    let site = AnsweringSite { _, number, _ in
      (6...30).contains(number) ? HTTPResponse(status: 503) : Self.good()
    }
    try await OutboundPlace.virtualTime.run(site) { scene in
      let endpoint = try scene.endpoint()
      var counts: [Int] = []
      // A second of a hundred questions, for a minute.
      for _ in 0..<60 {
        let before = site.requests.count
        for _ in 0..<100 {
          _ = await scene.ask(endpoint)
          await scene.loop.sleep(until: scene.loop.now + .milliseconds(10))
        }
        counts.append(site.requests.count - before)
      }
      #expect(counts[0] <= 11 && counts[1...15].allSatisfy { $0 <= 2 }, "\(counts)")
      #expect(counts.suffix(20).allSatisfy { $0 > 90 }, "\(counts)")
      #expect(scene.caller.tally("here").counts.breakersOpen == 0)
      #expect(scene.counts[.refused] == 25 && scene.counts[.notAsked] ?? 0 > 1_000)
    }
  }

  @Test
  func `a server that asks for a pause gets it, however many requests there are`() async throws {
    let site = AnsweringSite { _, number, _ in
      number == 1 ? HTTPResponse(status: 429, headers: [HTTPField("retry-after", "30")]) : Self.good()
    }
    try await OutboundPlace.virtualTime.run(site) { scene in
      let endpoint = try scene.endpoint(tries: 3)
      let begun = scene.loop.now
      while await scene.ask(endpoint) != .success("yes") {
        await scene.loop.sleep(until: scene.loop.now + .milliseconds(100))
      }
      #expect(scene.loop.now - begun >= .seconds(30) && scene.loop.now - begun < .seconds(31))
    }
    #expect(site.requests.count == 2)
  }

  @Test
  func `an open breaker closes after three good probes, and after one if the last failure is over a minute ago`() {
    for (pause, isEnough) in [(Duration.seconds(60), false), (.seconds(61), true)] {
      var breaker = Breaker()
      for _ in 0..<5 { _ = breaker.settle(isGood: false, retryAfter: nil, at: .zero) }
      var now = Instant.zero + pause
      #expect(breaker.isOpen && breaker.take(at: now) && !breaker.take(at: now))
      #expect((breaker.settle(isGood: true, retryAfter: nil, at: now) == .closed) == isEnough)
      #expect(breaker.take(at: now) == isEnough)
      // It opens as soon as before.
      guard isEnough else { continue }
      for _ in 0..<5 {
        #expect(!breaker.isOpen)
        now = now + .seconds(1)
        _ = breaker.settle(isGood: false, retryAfter: nil, at: now)
      }
      #expect(breaker.isOpen)
      now = now + .seconds(2)
      #expect(breaker.settle(isGood: true, retryAfter: nil, at: now) == nil && breaker.isOpen)
    }
  }

  @Test
  func `a breaker opens when half of twenty answers within ten seconds are failures, and not over a longer time`() {
    for (pause, opens) in [(Duration.milliseconds(400), true), (.milliseconds(700), false)] {
      var breaker = Breaker()
      var now = Instant.zero
      for number in 0..<40 {
        now = now + pause
        _ = breaker.settle(isGood: number.isMultiple(of: 2), retryAfter: nil, at: now)
      }
      #expect(breaker.isOpen == opens)
    }
  }

  @Test(arguments: [
    (Endpoint.Reach.outside, "https://10.0.0.1/", [], false), (.outside, "https://keys.example/", ["10.0.0.1"], false),
    (.outside, "https://keys.example/", ["192.0.2.1", "127.0.0.1"], false), (.outside, "https://localhost/", [], false),
    (.outside, "https://keys.example/", ["192.0.2.1", "2001:db8::1"], true),
    (.outside, "https://keys.example/", ["fe80::1%eth0"], false), (.outside, "https://192.0.2.1/", [], true),
    (.loopback, "https://localhost/", ["127.0.0.1", "::1"], true), (.loopback, "https://127.0.0.2/", [], false),
    (.loopback, "https://169.254.169.254/", [], false),
    (.loopback, "https://keys.example/", ["127.0.0.1", "10.0.0.1"], false),
    (.anywhere, "https://10.0.0.1/", [], true), (.anywhere, "https://keys.example/", ["fd00::1"], true),
    (.anywhere, "http://localhost/", ["127.0.0.1"], true), (.anywhere, "http://localhost/", ["192.0.2.1"], false),
    (.anywhere, "http://localhost/", ["127.0.0.1", "192.0.2.1"], false),
  ])
  func `an internal address is asked only if the command line names its host, and plain http on loopback only`(
    reach: Endpoint.Reach, address: String, found: [String], isAsked: Bool
  ) throws {
    let endpoint = Endpoint(
      try EndpointAddress(address), counted: EndpointTally("x"), reach: reach)
    #expect((endpoint.objection(to: found) == nil) == isAsked)
  }
}
