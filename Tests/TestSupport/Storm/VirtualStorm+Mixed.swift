package import GatewayCore
package import GatewayFleet
package import GatewayKit
internal import Testing

// A storm of twenty clients of which four are to be lost, ten times over: what each vendor's clients go through.

extension VirtualStorm {
  /// One with these clients, of a vendor that is played so.
  package static func mixed(_ dialect: any ClientDialect, on vendor: any VendorSettings) throws -> VirtualStorm {
    var storm = try VirtualStorm()
    storm.dialect = dialect
    storm.vendor = vendor
    storm.plan.behaviours = try BehaviourMix(
      parsing: "well-behaved=14,slow=2,forgetful=1,stale=1,garbage=1,refused=1")
    return storm
  }

  /// Nobody is lost but those whose behaviour demands it: four of twenty.
  package static func checkMixed(_ result: StormResult) {
    #expect(result.everybody.connected == 200)
    #expect(result.everybody.kept == 160 && result.everybody.lostExpectedly == 40)
    #expect(result.connects.failed.total == 0)
    #expect(result.refreshedShare == 1)
    #expect(!result.ranOutOfTime)
  }
}
