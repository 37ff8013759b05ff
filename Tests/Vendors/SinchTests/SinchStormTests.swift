import GatewayCore
import GatewayFleet
import GatewayKit
import TestSupport
import TestTraits
import Testing

@testable import GatewaySinch

struct SinchStormTests {
  @Test(.long)
  func `clients register again on their sockets when their registrations expire`() throws {
    var settings = SinchSettings(applications: SinchApplications(any: SinchSecret(bytes: Array(0..<16))))
    // A storm does not wait for two days.
    settings.tokens.instanceLifeMin = .zero
    let result = try VirtualStorm.mixed(SinchClientDialect(), on: settings).run().result
    VirtualStorm.checkMixed(result)
    #expect(result.returns.interrupted == 0 && result.refreshes.asked == 200 && result.callsPerExpiry == 1)
  }
}
