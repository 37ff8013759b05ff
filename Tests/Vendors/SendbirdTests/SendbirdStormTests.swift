import GatewayCore
import GatewayFleet
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewaySendbird

struct SendbirdStormTests {
  private static func storm(
    _ sdk: SendbirdSDK, _ change: (inout SendbirdSettings) -> Void = { _ in }
  ) throws -> VirtualStorm {
    var settings = SendbirdSettings(apiToken: Credentials(token: VirtualStorm.secret))
    change(&settings)
    return try VirtualStorm.mixed(SendbirdClientDialect(sdk, applicationID: "APP"), on: settings)
  }

  @Test(.long, arguments: SendbirdSDK.allCases)
  func `clients refresh on their sockets, and are never without a connection`(sdk: SendbirdSDK) throws {
    let result = try Self.storm(sdk).run().result
    VirtualStorm.checkMixed(result)
    #expect(result.returns.interrupted == 0 && result.latencies.outage.count == 0)
    #expect(result.refreshes.asked == 200 && result.callsPerExpiry == 1)
  }

  @Test(.long)
  func `sessions that end before their tokens are refreshed with the token in hand, without a provider`() throws {
    var storm = try Self.storm(.javascript) { $0.sessionLife = .seconds(20) }
    storm.plan.behaviours = .allWell
    storm.plan.expireAfter = 300
    storm.plan.waves = 10
    let result = try storm.run().result
    #expect(result.refreshes.accepted >= 2000)
    #expect(result.provider.refreshCalls <= 200)
    #expect(result.everybody.lostUnexpectedly == 0)
  }

  @Test
  func `clients refused with a wait while the gateway is busy reconnect after that wait`() throws {
    var storm = try Self.storm(.javascript) { $0.loginsPerSecond = 20 }
    storm.plan.behaviours = .allWell
    storm.plan.expireAfter = 60
    let result = try storm.run().result
    #expect(result.everybody.connected == 200 && result.everybody.kept == 200)
    #expect(result.returns.failed["busy"] > 100)
    #expect(result.connects.failed.total == 0)
  }

  @Test(.long)
  func `equal seeds give equal storms`() throws {
    let storm = try Self.storm(.javascript)
    #expect(try storm.run(seed: 3).result == (try storm.run(seed: 3).result))
  }
}
