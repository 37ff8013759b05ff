import GatewayCore
import GatewayFleet
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewayStream

struct StreamStormTests {
  private static func storm(_ sdk: StreamVideoSDK) throws -> VirtualStorm {
    var storm = try VirtualStorm.mixed(StreamVideoClientDialect(sdk, apiKey: "key"), on: settings())
    // Stream dates its tokens in whole seconds; the storm starts a second after one.
    storm.plan.expireAfter = 8
    return storm
  }

  private static func settings(_ change: (inout StreamVideoSettings) -> Void = { _ in }) throws -> StreamVideoSettings {
    var settings = StreamVideoSettings(
      applications: StreamApplications(fallback: try StreamApplication(secret: VirtualStorm.secret)))
    change(&settings)
    return settings
  }

  @Test(
    .long,
    arguments: [
      (.javascript, 2.25, 7.2), (.swift, 0, 0.2), (.android, 0.25, 0.7), (.flutter, 0.2, 0.9),
    ] as [(StreamVideoSDK, Double, Double)])
  func `clients return each in its SDK's own time`(sdk: StreamVideoSDK, least: Double, most: Double) throws {
    let result = try Self.storm(sdk).run().result
    VirtualStorm.checkMixed(result)
    #expect(result.returns.interrupted == 200 && result.returns.returned == 160)
    // Android's clients have disconnected before the close arrives.
    #expect(result.disconnects.counts == [sdk == .android ? "client_returns" : "4001 token_expired": 200])
    let latency = try #require(result.behaviours[.wellBehaved]?.refreshLatency)
    #expect(try #require(latency.minimum) >= .seconds(least) && (try #require(latency.maximum)) <= .seconds(most))
    // Only JavaScript does not know that its token has expired before it is told.
    let old = sdk == .javascript ? 200 : 0
    #expect(result.returns.refusedWithOldToken >= old)
    #expect(try #require(result.latencies.outage.maximum) >= .seconds(least))
  }

  @Test(.long)
  func `JavaScript asks the provider once, and after a close with 1000 two of three never return`() throws {
    var storm = try Self.storm(.javascript)
    storm.plan.behaviours = .allWell
    #expect(try storm.run().result.callsPerExpiry == 1)
    storm.vendor = try Self.settings { $0.expiry.closeCode = 1000 }
    let result = try storm.run().result
    #expect(result.everybody.connected == 200 && result.everybody.kept + result.everybody.lostUnexpectedly == 200)
    #expect((40...88).contains(result.everybody.kept), "64 of 200 were measured with the unmodified client")
    #expect(try #require(result.latencies.outage.minimum) >= .milliseconds(35_250))
  }

  @Test(.long)
  func `a client connected after the common expiry, with a second token, is late and not missing`() throws {
    var storm = try Self.storm(.swift)
    storm.plan.behaviours = .allWell
    // Tokens that expire together at 8 s. By then a provider of 20 per second has issued only some of the new ones.
    storm.provider = try TokenProviderPolicy(latency: .milliseconds(50), concurrency: 1)
    let result = try storm.run().result
    #expect(result.everybody.late > 20 && result.everybody.unrefreshed == 0 && !result.ranOutOfTime)
    #expect(result.everybody.late + result.everybody.kept + result.connects.failed.total == 200)
  }

  @Test(.long)
  func `all of Python's clients are lost, as their SDK demands`() throws {
    let result = try Self.storm(.python).run().result
    #expect(result.everybody.lostExpectedly == 200 && result.everybody.lostUnexpectedly == 0)
    #expect(result.provider.refreshCalls == 0)
  }

  @Test(.long, arguments: StreamVideoSDK.allCases)
  func `pings keep idle connections for as long as the tokens live`(sdk: StreamVideoSDK) throws {
    var storm = try Self.storm(sdk)
    storm.plan.behaviours = .allWell
    storm.plan.clients = 20
    storm.plan.expireAfter = 200
    storm.interruptAfter = .seconds(190)
    let result = try storm.run().result
    #expect(result.returns.interrupted == 0 && result.disconnects.total == 0)
  }

  @Test(.long)
  func `equal seeds give equal storms`() throws {
    let storm = try Self.storm(.flutter)
    #expect(try storm.run(seed: 3).result == (try storm.run(seed: 3).result))
  }
}
