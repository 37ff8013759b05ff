package import GatewayCore
package import GatewayFleet
package import GatewayKit
internal import Testing

// A storm of twenty clients, four of which are lost, ten times over, for each vendor's clients.

extension VirtualStorm {
  /// Returns a storm with these clients and that vendor.
  package static func mixed(_ dialect: any ClientDialect, on vendor: any VendorSettings) throws -> VirtualStorm {
    var storm = try VirtualStorm()
    storm.dialect = dialect
    storm.vendor = vendor
    storm.plan.behaviours = try BehaviourMix(
      parsing: "well-behaved=14,slow=2,forgetful=1,stale=1,garbage=1,refused=1")
    return storm
  }

  /// Checks that only the clients whose behaviour demands it are lost: four of twenty.
  package static func checkMixed(_ result: StormResult) {
    #expect(result.everybody.connected == 200)
    #expect(result.everybody.kept == 160 && result.everybody.lostExpectedly == 40)
    #expect(result.connects.failed.total == 0)
    #expect(result.refreshedShare == 1)
    #expect(!result.ranOutOfTime)
  }
}
