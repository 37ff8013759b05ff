import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayFaults

struct LoginFaultTests {
  private func order(_ way: String, _ more: String = "") -> String {
    #"{"fault": "signal", "failure": "token_expired", "as": "\#(way)", "times": 1\#(more)}"#
  }

  @Test(arguments: [("S1", "", 401), ("S2", "", 403), ("S9", "", 503), ("S9", #", "status": 429"#, 429)])
  func `a login fault refuses the upgrade`(way: String, more: String, status: Int) throws {
    let faulty = try FaultyGateway()
    try faulty.fail(order(way, more))
    #expect(faulty.connect().refusal == status)
    #expect(faulty.connect().types == ["connected"])
    #expect(faulty.lines(.upgradeRefused).count == 1)
  }

  @Test(
    arguments: [
      ("S3", "", ["error"], 4500), ("S4", "", [], 3000), ("S4", #", "code": 3003"#, [], 3003), ("S5", "", [], nil),
      ("S6", "", [], 1011), ("S7", "", ["error"], 4000), ("S8", "", ["nobody_knows"], 4999),
      ("S9", #", "code": 1013"#, [], 1013),
    ] as [(String, String, [String], UInt16?)])
  func `a login fault refuses behind the upgrade`(way: String, more: String, said: [String], code: UInt16?) throws {
    let faulty = try FaultyGateway()
    try faulty.fail(order(way, more))
    let ann = faulty.connect()
    faulty.world.advance(by: .seconds(1))
    #expect(ann.types == said && ann.closeCode == code && !ann.hasHeardNoEnd)
    // The gateway has admitted nobody, and its journal says so.
    #expect(faulty.lines(.loggedIn).isEmpty && faulty.lines(.loginRefused).count == 1)
    #expect(faulty.connect().types == ["connected"])
  }

  @Test
  func `a login fault refuses a token in a message too, and never a good refresh`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(order("S4", #", "when": {"nth": 2}"#))
    let ann = faulty.connect()
    faulty.expire()
    faulty.refresh(ann)
    #expect(ann.types == ["connected", "refresh_required", "refreshed"])
    let bob = faulty.simulated.connect()
    bob.say(#"{"type":"connect","token":"\#(faulty.simulated.token("bob").token)"}"#)
    faulty.world.advance(by: .seconds(1))
    #expect(bob.types == [] && bob.closeCode == 3000)
  }

  @Test(
    arguments: [
      ("S3", "", ["error"], 4500), ("S4", "", [], 3000), ("S5", "", [], nil), ("S6", "", [], 1011),
      ("S7", "", ["error"], 4000), ("S8", "", ["nobody_knows"], 4999), ("S9", #", "code": 1013"#, [], 1013),
    ] as [(String, String, [String], UInt16?)])
  func `a login fault refuses behind a refresh`(way: String, more: String, said: [String], code: UInt16?) throws {
    let faulty = try FaultyGateway()
    try faulty.fail(order(way, #", "of": "refresh""# + more))
    let ann = faulty.connect()
    faulty.expire()
    faulty.refresh(ann)
    faulty.world.advance(by: .seconds(1))
    #expect(ann.types == ["connected", "refresh_required"] + said && ann.closeCode == code && !ann.hasHeardNoEnd)
    #expect(faulty.lines(.refreshed).isEmpty && faulty.lines(.refreshRefused).count == 1)
    #expect(faulty.connect().types == ["connected"])
  }

  @Test(arguments: ["S1", "S2", "S9"])
  func `a login fault in place of an upgrade refuses no refresh`(way: String) throws {
    let faulty = try FaultyGateway()
    #expect(throws: GatewayError.self) { try faulty.fail(order(way, #", "of": "refresh""#)) }
  }

  @Test
  func `a fault that follows the provider acts on the connections of the same user`() throws {
    let faulty = try FaultyGateway()
    let (ann, bob) = (faulty.connect("ann"), faulty.connect("bob"))
    try faulty.fail(#"{"fault": "reset", "when": {"after": "provider_asked"}, "times": 1}"#)
    let answer = faulty.simulated.fetch("POST", "/v1/tokens", body: #"{"user_id":"ann"}"#)
    #expect(try answer?.get().status == 200)
    faulty.world.advance(by: .seconds(1))
    #expect(!ann.hasHeardNoEnd && bob.hasHeardNoEnd)
  }
}
