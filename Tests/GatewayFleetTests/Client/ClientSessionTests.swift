import GatewayCore
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayFleet

struct ClientSessionTests {
  @Test
  func `a client fetches a token, dials, logs in, and reports how long the connection took`() {
    var client = Client(.wellBehaved)
    #expect(client.on(.start) == [.fetch(number: 1, .login)])
    client.now = client.now + .seconds(2)
    #expect(client.answer(.token(Client.old)) == [.record(.connecting), .dial])
    client.now = client.now + .milliseconds(5)
    #expect(client.on(.opened) == [.send(.connect(Client.old))])
    #expect(
      client.on(.heard(.connected(nil))) == [.record(.connected(after: .milliseconds(5), again: false))])
    #expect(client.session.phase == .live)
    #expect(client.session.nextDeadline == nil)
  }

  @Test
  func `a well-behaved client answers each request with one new token, and measures from the request`() {
    var client = Client.live(.wellBehaved)
    for number in 1...3 {
      let fetch = UInt32(number + 1)
      #expect(client.on(Client.ask) == [.record(.asked), .fetch(number: fetch, .refresh(call: 1))])
      client.now = client.now + .milliseconds(40)
      #expect(client.answer(.token(Client.new)) == [.record(.answered), .send(.refresh(Client.new))])
      client.now = client.now + .milliseconds(2)
      #expect(client.on(.heard(.refreshed)) == [.record(.refreshed(after: .milliseconds(42), number: number))])
    }
    #expect(client.session.outcome(waves: 3) == .kept)
    #expect(client.session.isSettled(waves: 3))
    #expect(!client.session.isSettled(waves: 4))
  }

  @Test
  func `a slow client waits first, then behaves well`() throws {
    var client = Client.live(.slow, slowDelay: .seconds(7))
    #expect(client.on(Client.ask) == [.record(.asked)])
    #expect(client.session.nextDeadline == client.now + .seconds(7))
    #expect(try client.wake() == [.fetch(number: 2, .refresh(call: 1))])
  }

  @Test
  func `a forgetful client does not answer, and its loss by the timeout is expected`() {
    var client = Client.live(.forgetful)
    #expect(client.on(Client.ask) == [.record(.asked)])
    #expect(client.session.nextDeadline == nil)
    client.now = client.now + .seconds(60)
    let lost = ClientRecord.lost("4000 refresh_timeout", isExpected: true, timedOut: true)
    #expect(client.on(.closed(4000)) == [.record(lost)])
    #expect(client.session.outcome(waves: 1) == .lostExpectedly)
  }

  @Test
  func `a stale client answers once with its present token, and is refused`() {
    var client = Client.live(.stale)
    #expect(client.on(Client.ask) == [.record(.asked), .record(.answered), .send(.refresh(Client.old))])
    #expect(
      client.on(Client.refusal) == [
        .record(.refreshRefused("token_not_renewed")), .record(.gaveUp("gateway_token_not_renewed")),
      ])
    #expect(client.on(Client.refusal) == [.record(.error("token_not_renewed"))])
  }

  @Test
  func `a client that sends garbage repeats itself a few times, with a pause, and then stops`() throws {
    var client = Client.live(.garbage)
    #expect(client.on(Client.ask) == [.record(.asked), .record(.answered), .send(.garbage)])
    for _ in 1..<client.session.policy.garbageMax {
      #expect(client.on(Client.refusal) == [.record(.refreshRefused("token_not_renewed"))])
      #expect(try client.wake() == [.record(.answered), .send(.garbage)])
    }
    #expect(client.on(Client.refusal) == [.record(.refreshRefused("token_not_renewed"))])
    #expect(client.session.nextDeadline == nil)
  }

  @Test
  func `a client that the provider refuses gives up`() {
    var client = Client.live(.refused)
    #expect(client.on(Client.ask) == [.record(.asked), .fetch(number: 2, .hopelessRefresh(call: 1))])
    #expect(client.answer(.refused(status: 403)) == [.record(.gaveUp("provider_refused_403"))])
  }

  @Test
  func `a busy provider is called again no earlier than it asked, and not by all clients at the same time`() throws {
    var waits: Set<Duration> = []
    for seed in 0..<20 {
      var client = Client.live(.wellBehaved)
      client.generator = SeededGenerator(seed: UInt64(seed))
      _ = client.on(Client.ask)
      #expect(client.answer(.busy(status: 503, retryAfter: .seconds(2))).isEmpty)
      let wait = try #require(client.session.nextDeadline) - client.now
      #expect(wait >= .seconds(2) && wait < .seconds(4))
      waits.insert(wait)
      #expect(try client.wake() == [.fetch(number: 3, .refresh(call: 2))])
    }
    #expect(waits.count > 15)
  }

  @Test
  func `a client whose next attempt would come after the gateway's timeout gives up, and its loss is unexpected`() {
    var client = Client.live(.wellBehaved)
    _ = client.on(Client.ask)
    #expect(
      client.answer(.busy(status: 503, retryAfter: .seconds(60))) == [.record(.gaveUp("provider_busy_503"))])
    client.now = client.now + .seconds(60)
    _ = client.on(.closed(4000))
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly)
  }

  @Test
  func `a refused new token is renewed once, not for ever`() {
    var client = Client.live(.wellBehaved)
    _ = client.on(Client.ask)
    _ = client.answer(.token(Client.new))
    #expect(
      client.on(Client.refusal) == [
        .record(.refreshRefused("token_not_renewed")), .fetch(number: 3, .refresh(call: 2)),
      ])
    _ = client.answer(.token(Client.new))
    #expect(
      client.on(Client.refusal) == [
        .record(.refreshRefused("token_not_renewed")), .record(.gaveUp("gateway_token_not_renewed")),
      ])
  }

  @Test
  func `a repeated request during an answer makes no second refresh`() {
    var client = Client.live(.wellBehaved)
    _ = client.on(Client.ask)
    #expect(client.on(Client.ask) == [.record(.askedAgain)])
    _ = client.answer(.token(Client.new))
    #expect(client.on(Client.ask) == [.record(.askedAgain)])
  }

  @Test
  func `a provider's answer after the loss of the connection is not used`() {
    var client = Client.live(.wellBehaved, reconnects: true)
    _ = client.on(Client.ask)
    let number = client.session.fetchNumber
    _ = client.on(.closed(nil))
    #expect(client.on(.fetched(number: number, .token(Client.new))).isEmpty)
  }

  @Test
  func `a late acceptance counts even after the client gave up`() {
    var client = Client.live(.stale)
    _ = client.on(Client.ask)
    _ = client.on(Client.refusal)
    #expect(client.on(.heard(.refreshed)) == [.record(.refreshed(after: .zero, number: 1))])
  }
}

struct ClientLossTests {
  @Test(arguments: Behaviour.allCases)
  func `a client cut off too early, or without a request, is lost unexpectedly`(behaviour: Behaviour) {
    var client = Client.live(behaviour)
    _ = client.on(.closed(1011))
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly)
    // A client that hammers comes back, whatever the plan says.
    #expect(client.session.phase == .ended || behaviour == .hammering)
  }

  @Test
  func `a gateway must not disconnect a forgetful client before the timeout that it announced`() {
    var client = Client.live(.forgetful)
    _ = client.on(Client.ask)
    client.now = client.now + .seconds(30)
    _ = client.on(.closed(nil))
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly)
  }

  @Test(arguments: [
    (59, ClientSession.Outcome.lostUnexpectedly), (60, .lostExpectedly),
  ])
  func `a slow client's loss is expected only if it is slower than the gateway allows`(
    delay: Int, outcome: ClientSession.Outcome
  ) {
    var client = Client.live(.slow, slowDelay: .seconds(delay))
    _ = client.on(Client.ask)
    client.now = client.now + .seconds(60)
    _ = client.on(.closed(4000))
    #expect(client.session.outcome(waves: 1) == outcome)
  }

  @Test
  func
    `a client that should be cut off and is not has overstayed, and one that should be refreshed and is not is unrefreshed`()
  {
    for behaviour in Behaviour.allCases {
      var client = Client.live(behaviour)
      _ = client.on(Client.ask)
      let stays = [.wellBehaved, .slow, .hammering].contains(behaviour)
      #expect(client.session.outcome(waves: 1) == (stays ? .unrefreshed : .overstayed))
      #expect(!client.session.isSettled(waves: 1))
    }
  }

  @Test
  func `a client that is refreshed again delays no storm's end, unless that was ordered or goes wrong`() {
    var client = Client.live(.wellBehaved)
    _ = client.on(Client.ask)
    #expect(!client.session.isSettled(waves: 1))
    _ = client.answer(.token(Client.old))
    _ = client.on(.heard(.refreshed))
    #expect(client.session.isSettled(waves: 1) && !client.session.isSettled(waves: 2))
    _ = client.on(Client.ask)
    #expect(client.session.isSettled(waves: 1) && client.session.outcome(waves: 1) == .kept)
    #expect(!client.session.isSettled(waves: 1, awaitsAll: true) && !client.session.isSettled(waves: 2))
    // The provider is down: the client tries once more, and may still be lost.
    _ = client.answer(.failed("timed_out"))
    client.now = client.now + .seconds(10)
    _ = client.on(.wakeUp)
    #expect(!client.session.isSettled(waves: 1))
  }

  @Test
  func `a storm waits for a refresh that was in trouble when all others were done, and for no later one`() {
    func troubled() -> Client {
      var client = Client.live(.wellBehaved)
      _ = client.on(Client.ask)
      _ = client.answer(.token(Client.old))
      _ = client.on(.heard(.refreshed))
      _ = client.on(Client.ask)
      _ = client.answer(.failed("timed_out"))
      client.now = client.now + .seconds(10)
      _ = client.on(.wakeUp)
      return client
    }
    var clients = [troubled(), Client.live(.wellBehaved)]
    #expect(clients[0].session.isAtFurtherRefresh(waves: 1) && !clients[1].session.isAtFurtherRefresh(waves: 1))
    var stragglers = Stragglers()
    func areGone() -> Bool {
      stragglers.areGone(of: 1, waves: 1, awaitsAll: false) { clients[$0].session }
    }
    #expect(!areGone() && !areGone())
    _ = clients[0].answer(.token(Client.old))
    _ = clients[0].on(.heard(.refreshed))
    #expect(areGone())
    // The next client has a failure too.
    _ = clients[0].on(Client.ask)
    _ = clients[0].answer(.failed("timed_out"))
    #expect(!clients[0].session.isSettled(waves: 1) && areGone())
  }

  @Test
  func `a client without a gateway renews as often as the plan says and no more`() {
    var habits = AloneClientDialect(lead: .seconds(1), spread: .zero, grace: .zero).habits
    habits.refresh.how = .timer
    var policy = ClientPolicy(StormPlan(), habits: habits)
    policy.renewalsWanted = 1
    var client = Client(.wellBehaved)
    client.session = ClientSession(.wellBehaved, policy: policy)
    _ = client.on(.start)
    client.session.note(endOfToken: client.now + .seconds(4))
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    #expect(client.session.nextDeadline == client.now + .seconds(3))
    client.now = client.now + .seconds(3)
    _ = client.on(.wakeUp)
    client.session.note(endOfToken: client.now + .seconds(4))
    _ = client.answer(.token(Client.old))
    _ = client.on(.heard(.refreshed))
    #expect(client.session.refreshes == 1 && client.session.nextDeadline == nil)
    #expect(client.session.isSettled(waves: 1))
  }

  @Test
  func `a refused upgrade, a refused login and a login timeout are distinguished`() throws {
    var refused = Client(.wellBehaved)
    _ = refused.on(.start)
    _ = refused.answer(.token(Client.old))
    #expect(refused.on(.dialFailed(.refused(status: 503))) == [.record(.connectFailed("http_503"))])
    #expect(refused.session.isSettled(waves: 1))
    #expect(refused.session.outcome(waves: 1) == .neverConnected)

    var denied = Client(.wellBehaved)
    _ = denied.on(.start)
    _ = denied.answer(.token(Client.old))
    _ = denied.on(.opened)
    #expect(
      denied.on(.heard(.error(number: 401_002, name: "token_expired"))) == [
        .record(.connectFailed("token_expired")), .close,
      ])
    #expect(denied.on(.closed(4500)).isEmpty)
    #expect(denied.session.phase == .ended)

    var silent = Client(.wellBehaved)
    _ = silent.on(.start)
    _ = silent.answer(.token(Client.old))
    #expect(try silent.wake() == [.record(.connectFailed("timed_out"))])
    #expect(silent.on(.opened) == [.close])
    _ = silent.on(.closed(1000))
    #expect(silent.session.phase == .ended)
  }

  @Test
  func `a provider that is always busy is called for the login's token a bounded number of times`() throws {
    var client = Client(.wellBehaved)
    _ = client.on(.start)
    var calls = 1
    while client.answer(.busy(status: 503, retryAfter: nil)).isEmpty {
      _ = try client.wake()
      calls += 1
    }
    #expect(calls == client.session.policy.loginTriesMax)
    #expect(client.session.phase == .ended)
  }

  @Test(arguments: Behaviour.allCases)
  func `a stopped client closes its socket and is not counted as lost`(behaviour: Behaviour) {
    var client = Client.live(behaviour)
    _ = client.on(Client.ask)
    #expect(client.on(.stop) == [.close])
    #expect(client.on(.closed(1000)) == [.record(.left)])
    #expect(client.session.loss == nil)
    var early = Client(behaviour)
    #expect(early.on(.stop).isEmpty)
    #expect(early.session.phase == .ended)
    var unfinished = Client(behaviour)
    _ = unfinished.on(.start)
    #expect(unfinished.on(.stop) == [.record(.unfinished)])
  }

  @Test(arguments: Behaviour.allCases)
  func `no event in any phase makes a client send on a socket that it does not have`(behaviour: Behaviour) {
    let events: [ClientEvent] = [
      .start, .opened, .dialFailed(.timedOut), .heard(.connected(nil)), Client.ask, .heard(.refreshed),
      Client.refusal, .heard(.closing(name: "service_restart")), .closed(4000), .closed(nil), .wakeUp, .stop,
    ]
    var chance = SeededGenerator(seed: 11)
    for _ in 0..<3000 {
      var client = Client(behaviour, reconnects: chance.nextShare() < 0.5)
      var hasSocket = false
      for _ in 0..<25 {
        client.now = client.now + .milliseconds(Int64(chance.nextShare() * 5000))
        var event = events[Int(chance.nextShare() * Double(events.count))]
        if chance.nextShare() < 0.4 {
          event = .fetched(number: client.session.fetchNumber, .token(Client.new))
        }
        // The transport keeps its own rules: a socket opens once after a connect, and ends once.
        switch event {
        case .opened, .dialFailed:
          switch client.session.phase {
          case .dialling, .abandoned: hasSocket = event == .opened
          default: continue
          }
        case .closed:
          guard hasSocket else { continue }
          hasSocket = false
        default: break
        }
        for effect in client.on(event) {
          if case .send = effect { #expect(hasSocket) }
        }
        if case .refreshing = client.session.phase { #expect(hasSocket) }
      }
    }
  }
}
