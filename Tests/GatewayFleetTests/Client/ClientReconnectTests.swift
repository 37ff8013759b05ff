import GatewayCore
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayFleet

struct ClientReconnectTests {
  @Test(arguments: [
    (1001, "1001 going_away"), (1012, "1012 service_restart"), (1013, "1013 overloaded"), (1014, "1014"),
  ])
  func `a client that may return does so with a new token after a random wait, and is interrupted and back, not lost`(
    code: UInt16, reason: String
  ) throws {
    var client = Client.live(.wellBehaved, reconnects: true)
    #expect(client.on(.closed(code)) == [.record(.interrupted(reason))])
    #expect(!client.session.isSettled(waves: 1))
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly, "until it is back")
    let wait = try #require(client.session.nextDeadline) - client.now
    #expect(wait <= .milliseconds(500))
    #expect(try client.wake() == [.fetch(number: 3, .login)])
    #expect(client.answer(.token(Client.new)) == [.record(.reconnecting), .dial])
    _ = client.on(.opened)
    #expect(
      client.on(.heard(.connected(nil))) == [
        .record(.connected(after: .zero, again: true)), .record(.returned(after: wait, attempts: 1)),
      ])
    #expect(!client.session.isSettled(waves: 1), "its token is still to expire")
    #expect(client.session.outcome(waves: 1) == .unrefreshed)
    client.session.isDue = false
    #expect(client.session.isSettled(waves: 1))
    #expect(client.session.outcome(waves: 1) == .returned)
    _ = client.on(.closed(4502))
    #expect(client.session.phase == .ended)
  }

  @Test
  func `an interrupted client retries after refusals and silence, one socket at a time, for as long as it takes`()
    throws
  {
    var client = Client.live(.wellBehaved, reconnects: true)
    _ = client.on(.closed(nil))
    for _ in 0..<30 {
      _ = try client.wake()
      #expect(client.answer(.failed("unreachable")).isEmpty, "the provider went with the gateway")
    }
    _ = try client.wake()
    _ = client.answer(.token(Client.new))
    #expect(client.on(.dialFailed(.refused(status: 503))) == [.record(.returnFailed("http_503"))])
    _ = try client.wake()
    _ = client.answer(.token(Client.new))
    _ = client.on(.opened)
    let refused = ClientRecord.returnRefused("draining", isOldToken: false)
    #expect(client.on(.heard(.error(number: 503_002, name: "draining"))) == [.close, .record(refused)])
    #expect(client.session.nextDeadline == nil, "the socket is still closing")
    _ = client.on(.closed(1012))
    _ = try client.wake()
    _ = client.answer(.token(Client.new))
    _ = client.on(.opened)
    #expect(
      client.on(.heard(.connected(nil))).contains { if case .record(.returned(_, 3)) = $0 { true } else { false } })
    #expect(client.session.loss == nil)
  }

  @Test
  func `a client disconnected because its refresh timed out is lost, even if it returns`() throws {
    var client = Client.live(.wellBehaved, reconnects: true)
    _ = client.on(Client.ask)
    client.now = client.now + .seconds(60)
    let lost = ClientRecord.lost("4000 refresh_timeout", isExpected: false, timedOut: true)
    #expect(client.on(.closed(4000)) == [.record(lost)])
    _ = try client.wake()
    _ = client.answer(.token(Client.new))
    _ = client.on(.opened)
    _ = client.on(.heard(.connected(nil)))
    #expect(client.session.outcome(waves: 1) == .lostUnexpectedly && client.session.isSettled(waves: 1))
  }

  @Test(arguments: Behaviour.allCases)
  func `a gateway that goes down during a refresh interrupts the client`(behaviour: Behaviour) {
    var client = Client.live(behaviour, reconnects: true)
    _ = client.on(Client.ask)
    #expect(client.on(.closed(1012)) == [.record(.interrupted("1012 service_restart"))])
  }

  @Test
  func `a close code has the name that the wire uses`() {
    var client = Client.live(.wellBehaved)
    client.session = ClientSession(
      .wellBehaved, policy: ClientPolicy(StormPlan(), closeNames: [4000: "session_expired"]))
    _ = client.on(.start)
    _ = client.answer(.token(Client.old))
    _ = client.on(.opened)
    _ = client.on(.heard(.connected(nil)))
    _ = client.on(Client.ask)
    client.now = client.now + .seconds(60)
    let effects = client.on(.closed(4000))
    #expect(effects == [.record(.lost("4000 session_expired", isExpected: false, timedOut: true))])
  }
}
