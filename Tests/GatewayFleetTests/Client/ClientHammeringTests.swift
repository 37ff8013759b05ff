import GatewayCore
import GatewayFleet
import TestSupport
import Testing

/// The loop of a client that hammers.
struct ClientHammeringTests {
  private static let answers: [ProviderAnswer] = [
    .busy(status: 429, retryAfter: .seconds(3600)), .busy(status: 503, retryAfter: nil), .refused(status: 403),
    .refused(status: 400), .failed("timed_out"),
  ]

  @Test(arguments: answers)
  func `a hammering client asks for its login a millisecond after every refusal, a thousand times`(
    answer: ProviderAnswer
  ) throws {
    var client = Client(.hammering)
    #expect(client.on(.start) == [.fetch(number: 1, .login)])
    for number in 2...1_000 {
      let before = client.now
      #expect(client.answer(answer).isEmpty)
      #expect(try client.wake() == [.fetch(number: UInt32(number), .login)])
      #expect(client.now == before + .milliseconds(1))
    }
    #expect(client.answer(.token(Client.new)) == [.record(.connecting), .dial])
  }

  @Test(arguments: answers)
  func `a hammering client asks through its refresh and beyond the gateway's timeout`(answer: ProviderAnswer) throws {
    var client = Client.live(.hammering)
    #expect(client.on(Client.ask) == [.record(.asked), .fetch(number: 2, .refresh(call: 1))])
    let asked = client.now
    for call in 2...100 {
      #expect(client.answer(answer).isEmpty)
      #expect(try client.wake() == [.fetch(number: UInt32(call + 1), .refresh(call: call))])
      client.now = client.now + .seconds(1)
    }
    #expect(client.now > asked + .seconds(60))
    #expect(client.answer(.token(Client.new)) == [.record(.answered), .send(.refresh(Client.new))])
  }

  @Test
  func `a hammering client whose tokens the gateway refuses asks for another repeatedly`() throws {
    var client = Client.live(.hammering)
    _ = client.on(Client.ask)
    for call in 2...50 {
      _ = client.answer(.token(Client.new))
      _ = client.on(Client.refusal)
      #expect(try client.wake() == [.fetch(number: UInt32(call + 1), .refresh(call: call))])
    }
  }

  @Test
  func `a hammering client that is disconnected asks for a login and continues`() throws {
    var client = Client.live(.hammering)
    _ = client.on(Client.ask)
    client.now = client.now + .seconds(60)
    _ = client.on(.closed(4000))
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly)
    #expect(try client.wake() == [.fetch(number: 4, .login)])
    _ = client.answer(.refused(status: 403))
    #expect(try client.wake() == [.fetch(number: 5, .login)])
  }

  @Test
  func `a hammering client that gets tokens is a well-behaved one`() {
    var (one, other) = (Client.live(.hammering), Client.live(.wellBehaved))
    for event in [Client.ask, .fetched(number: 2, .token(Client.new)), .heard(.refreshed)] {
      #expect(one.on(event) == other.on(event))
    }
    #expect(one.session.outcome(waves: 1) == .kept)
  }

  @Test
  func `a client that hammers without success loops for ever, and its loss is expected`() throws {
    var plan = StormPlan()
    plan.hammersInVain = true
    var client = Client.live(.hammering)
    client.session = ClientSession(.hammering, policy: ClientPolicy(plan))
    #expect(client.on(.start) == [.fetch(number: 1, .login)])
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    _ = client.on(.heard(.connected(nil)))
    #expect(client.on(Client.ask) == [.record(.asked), .fetch(number: 2, .hopelessRefresh(call: 1))])
    _ = client.answer(.refused(status: 400))
    #expect(try client.wake() == [.fetch(number: 3, .hopelessRefresh(call: 2))])
    client.now = client.now + .seconds(60)
    let lost = ClientRecord.lost("4000 refresh_timeout", isExpected: true, timedOut: true)
    #expect(client.on(.closed(4000)) == [.record(lost)])
    for call in 1...50 {
      #expect(try client.wake() == [.fetch(number: UInt32(call + 4), .hopelessRefresh(call: call))])
      _ = client.answer(.refused(status: 400))
    }
    #expect(client.session.outcome(waves: 1) == .lostExpectedly && client.session.isSettled(waves: 1))
    #expect(client.on(.stop).isEmpty && client.session.phase == .ended)
  }

  @Test
  func `a pause is as long as the plan says, and at least a millisecond`() {
    var plan = StormPlan()
    #expect(ClientPolicy(plan).hammerPause == .milliseconds(1))
    plan.hammerPause = 0.0005
    #expect(ClientPolicy(plan).hammerPause == .milliseconds(1))
    plan.hammerPause = 0.25
    #expect(ClientPolicy(plan).hammerPause == .milliseconds(250))
  }
}
