import GatewayCore
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayFleet

struct ClientEndsTests {
  private static func habits(
    _ how: RefreshHabit.How = .reconnect, lead: RefreshHabit.Lead? = nil, token: ComebackHabit.TokenOnReturn = .kept,
    settle: Duration = .zero
  ) -> ClientHabits {
    var habits = ClientHabits()
    habits.refresh.how = how
    habits.refresh.lead = lead
    habits.settle = settle
    var comeback = ComebackHabit(
      .backoff(first: .seconds(1), factor: 2, cap: .seconds(4), isJittered: false, tries: 5),
      renewingErrors: [ReturnVerdict.renew.number])
    comeback.otherErrorsAreFinal = false
    comeback.finalErrors = [ReturnVerdict.giveUp.number]
    comeback.tokenOnReturn = token
    comeback.ends = [
      EndRule(codes: [4401...4401], verdict: .renew),
      EndRule(codes: [4403...4499], verdict: .giveUp, label: .word("barred")),
      EndRule(codes: [3008...3008], verdict: .renew, text: "expired", label: .text),
    ]
    habits.comeback = comeback
    return habits
  }

  /// Logs in again, with a new token if one is required; returns the records.
  private static func comeBack(_ client: inout Client) throws -> [ClientEffect] {
    var effects = try client.wake()
    if effects.contains(where: { if case .fetch = $0 { true } else { false } }) {
      effects += client.answer(.token(Client.new))
    }
    effects += client.on(.opened)
    return effects + client.on(.heard(.connected(nil)))
  }

  @Test
  func
    `a client that gives up a silent gateway and may not return is lost to the silence, not to the answer to its close`()
    throws
  {
    var habits = ClientHabits()
    habits.keepAlive = KeepAliveHabit(every: .seconds(10), limit: .seconds(30))
    var client = Client.live(.wellBehaved, habits: habits)
    var effects: [ClientEffect] = []
    while !effects.contains(.close) { effects = try client.wake() }
    let ended = client.on(.closed(CloseReason.normal.code))
    #expect(ended.contains(.record(.lost("silence", isExpected: false, timedOut: false))))
  }

  @Test
  func `a client gets a new token after a close that demands one, and its return counts as a renewal`() throws {
    var client = Client.live(.wellBehaved, habits: Self.habits())
    #expect(client.on(.closed(4401)) == [.record(.interrupted("4401")), .record(.asked)])
    let effects = try Self.comeBack(&client)
    #expect(effects.contains { if case .fetch = $0 { true } else { false } })
    #expect(client.session.refreshes == 1 && client.session.logins == 2)
  }

  @Test
  func `a client returns with its present token after any other close, and that is no renewal`() throws {
    var client = Client.live(.wellBehaved, habits: Self.habits())
    _ = client.on(.closed(1012))
    let effects = try Self.comeBack(&client)
    #expect(!effects.contains { if case .fetch = $0 { true } else { false } })
    #expect(client.session.refreshes == 0 && client.session.logins == 2)
  }

  @Test
  func `a client does not reconnect after a close that forbids it`() {
    var client = Client.live(.wellBehaved, habits: Self.habits())
    #expect(
      client.on(.closed(4410)) == [.record(.lost("4410 barred", isExpected: false, timedOut: false))])
    #expect(client.session.phase == .ended)
  }

  @Test
  func `a client uses the text of the close frame if the code says too little, and reports the text cut`() throws {
    var client = Client.live(.wellBehaved, habits: Self.habits())
    #expect(
      client.on(.closed(3008, text: "{\"reason\":\"token expired\"}"))
        == [.record(.interrupted("3008 __reason___token_expired__")), .record(.asked)])
    for said in ["policy", "", nil] {
      var other = Client.live(.wellBehaved, habits: Self.habits())
      #expect(other.on(.closed(3008, text: said)) == [.record(.interrupted("3008"))])
    }
  }

  @Test
  func `a client closed before its login settled was refused, waits longer each time, and finally gives up`() throws {
    var client = Client(.wellBehaved, habits: Self.habits(settle: .seconds(1)))
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    var records = client.on(.opened) + client.on(.heard(.connected(nil)))
    var waits: [Duration] = []
    for _ in 0..<10 where client.session.phase != .ended {
      records += client.on(.closed(4401))
      guard let deadline = client.session.nextDeadline else { break }
      waits.append(deadline - client.now)
      records += try Self.comeBack(&client)
    }
    #expect(client.session.logins == 0)
    #expect(waits == [1, 2, 4, 4].map { .seconds($0) })
    #expect(records.contains(.record(.connectFailed("gateway_4401"))))
    #expect(!records.contains { if case .record(.connected) = $0 { true } else { false } })
  }

  @Test
  func `a client's login that settles counts from when it was accepted`() throws {
    var client = Client(.wellBehaved, habits: Self.habits(settle: .seconds(1)))
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    client.now = client.now + .milliseconds(300)
    #expect(client.on(.heard(.connected(nil))).isEmpty)
    #expect(try client.wake() == [.record(.connected(after: .milliseconds(300), again: false))])
    #expect(client.session.logins == 1)
  }

  @Test
  func `a client renews by its timer, once for each token, on its connection`() throws {
    var client = Client(.wellBehaved, habits: Self.habits(.timer, lead: .share(0.2)))
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    _ = client.on(.heard(.tokenLife(.seconds(100))))
    _ = client.on(.heard(.connected(nil)))
    #expect(client.session.nextDeadline == client.now + .seconds(80))
    #expect(try client.wake() == [.record(.asked), .fetch(number: 2, .refresh(call: 1))])
    #expect(client.answer(.token(Client.new)) == [.record(.answered), .send(.refresh(Client.new))])
    _ = client.on(.heard(.tokenLife(.seconds(50))))
    #expect(
      client.on(.heard(.refreshed)) == [
        .record(.margin(.seconds(20))), .record(.refreshed(after: .zero, number: 1)),
      ])
    #expect(client.session.nextDeadline == client.now + .seconds(40))
  }

  @Test
  func `a client without an answer counts as renewed when it outlives the old token`() throws {
    var habits = Self.habits(.timer, lead: .duration(.seconds(10)))
    habits.refresh.isProvenBySurvival = true
    habits.refresh.grace = .seconds(5)
    var client = Client(.wellBehaved, habits: habits)
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    client.session.note(endOfToken: client.now + .seconds(60))
    _ = client.on(.heard(.connected(nil)))
    _ = try client.wake()
    client.session.note(endOfToken: client.now + .seconds(70))
    _ = client.answer(.token(Client.new))
    // The end, the grace period, and a second more, since an end is a whole second.
    #expect(client.session.nextDeadline == client.now + .seconds(16))
    #expect(try client.wake() == [.record(.refreshed(after: .seconds(16), number: 1))])
  }

  @Test
  func `a client closes the connection itself after a goodbye`() throws {
    var client = Client.live(.wellBehaved, habits: Self.habits())
    #expect(
      client.on(.heard(.goodbye(.renew, name: "over"))) == [
        .close, .record(.interrupted("over")), .record(.asked),
      ])
    _ = client.on(.closed(1000))
    _ = try Self.comeBack(&client)
    #expect(client.session.refreshes == 1)
  }

  @Test
  func `a client gets another token if its upgrade was refused for the first, and stays away from lasting refusals`()
    throws
  {
    var client = Client(.wellBehaved, habits: Self.habits())
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    #expect(
      client.on(.dialFailed(.refused(status: 401))).contains(.record(.returnRefused("http_401", isOldToken: true))))
    _ = try Self.comeBack(&client)
    #expect(client.session.logins == 1)
    client = Client(.wellBehaved, habits: Self.habits())
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    #expect(client.on(.dialFailed(.refused(status: 404))) == [.record(.connectFailed("http_404"))])
  }
}
