import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

struct AdmissionFaultTests {
  @Test(arguments: [401, 403, 429, 500, 503])
  func `a fault refuses upgrades as often as ordered, and counts them`(status: Int) throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "refuse_upgrade", "status": \#(status), "retry_after_s": 2, "times": 2}"#)
    #expect(faulty.connect().refusal == status)
    #expect(faulty.connect().refusal == status)
    #expect(faulty.connect().types == ["connected"])
    #expect(faulty.lines(.upgradeRefused).count == 2)
  }

  @Test
  func `a fault refuses only the upgrades that it is meant for, as far as the upgrade shows it`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "refuse_upgrade", "status": 403, "who": {"users": ["martin"]}}"#)
    try faulty.fail(#"{"fault": "refuse_upgrade", "status": 429, "who": {"kind": "guest"}}"#)
    #expect(faulty.connect("ann").types == ["connected"])
    #expect(faulty.connect("martin").refusal == 403)
    #expect(faulty.connect("gwen", .guest).refusal == 429)
  }

  @Test
  func `a fault leaves an upgrade without an answer`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "never_answer", "times": 1}"#)
    let ann = faulty.connect()
    faulty.world.advance(by: .seconds(29))
    #expect(ann.events.isEmpty)
    #expect(faulty.connect().types == ["connected"])
  }
}
