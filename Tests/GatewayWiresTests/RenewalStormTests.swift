import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayWires
import TestSupport
import Testing

/// Storms of clients that send no message to renew, each against its own gateway.
struct RenewalStormTests {
  @Test(arguments: ["POST", "GET", "PUT", "PATCH"])
  func `a client renews its open connection by a request over HTTP with a new token`(method: String) throws {
    let text = RenewalWires.http.replacing(
      #""path": "/keys/refresh""#, with: #""method": "\#(method)", "path": "/keys/refresh""#)
    let result = try RenewalWires.storm(text).run().result
    let tally = try #require(result.behaviours[.wellBehaved])
    #expect(result.errors.total == 0, "\(result.errors)")
    #expect(tally.connected == 30 && tally.kept == 30, "\(tally)")
    #expect(result.refreshes.accepted == 30 && result.refreshes.refused.total == 0, "\(result.refreshes)")
    #expect(result.connects.accepted == 30 && result.returns.interrupted == 0)
    #expect(result.provider.calls == 60 && result.returns.keyCalls == 30)
    let least = try #require(result.tokens.margin(percent: 0))
    #expect(least > .zero, "\(least)")
  }

  @Test
  func `a client whose request over HTTP brings the next token asks the provider only for its first`() throws {
    let result = try RenewalWires.storm(RenewalWires.exchange).run().result
    let tally = try #require(result.behaviours[.wellBehaved])
    #expect(result.errors.total == 0 && tally.kept == 30, "\(result.errors) \(tally)")
    #expect(result.refreshes.accepted >= 30 && result.connects.accepted == 30, "\(result.refreshes)")
    #expect(result.provider.calls == 30)
    #expect(result.returns.keyCalls == result.refreshes.accepted)
  }

  @Test
  func `a gateway pushes tokens before their expiry, and its clients ask the provider only for their first`() throws {
    let result = try RenewalWires.storm(RenewalWires.pushed).run().result
    let tally = try #require(result.behaviours[.wellBehaved])
    #expect(result.errors.total == 0 && tally.kept == 30, "\(result.errors) \(tally)")
    #expect(result.refreshes.accepted >= 30 && result.connects.accepted == 30, "\(result.refreshes)")
    #expect(result.provider.calls == 30 && result.returns.keyCalls == 0)
    let least = try #require(result.tokens.margin(percent: 0))
    #expect(least > .zero, "\(least)")
  }

  @Test(arguments: ["forgetful", "stale", "refused"])
  func `a client that does not renew over HTTP is closed at the end of the grace`(behaviour: String) throws {
    var storm = try RenewalWires.storm(RenewalWires.http)
    storm.plan.behaviours = try BehaviourMix(parsing: "\(behaviour)=100")
    let result = try storm.run().result
    let tally = try #require(result.behaviours.values.first)
    #expect(tally.connected == 30 && tally.lostExpectedly == 30, "\(tally)")
    #expect(result.disconnects.total == 30, "\(result.disconnects)")
  }

  @Test
  func `a stale client that shows its old token again is admitted by no gateway that pushes tokens`() throws {
    var storm = try RenewalWires.storm(RenewalWires.pushed)
    storm.plan.behaviours = try BehaviourMix(parsing: "stale=50,forgetful=50")
    let result = try storm.run().result
    // The gateway needs no answer: their connections live by the tokens that they have not kept.
    #expect(result.refreshes.accepted >= 30 && result.disconnects.total == 0, "\(result.disconnects)")
  }

  @Test
  func `requests over HTTP and pushed tokens give the same figures for the same seed`() throws {
    for text in [RenewalWires.http, RenewalWires.exchange, RenewalWires.pushed] {
      let storm = try RenewalWires.storm(text)
      let one = try storm.run(seed: 9).result
      let other = try storm.run(seed: 9).result
      #expect(one.refreshes == other.refreshes && one.provider == other.provider)
    }
  }
}
