import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

struct FaultOrderTests {
  @Test
  func `every fault reads its own example, and has a unique name`() throws {
    for fault in Faults.all {
      let order = try FaultOrder.read(json: Array(fault.example.utf8))
      #expect(type(of: order.fault) == fault)
    }
    #expect(Set(Faults.all.map { Name($0.word) }).count == Faults.all.count)
  }

  @Test(arguments: [
    ("", "JSON"), ("[]", "JSON"), ("{}", "fault is missing"), (#"{"fault": 1}"#, "text"),
    (#"{"fault": "drip"}"#, "did you mean 'drop'"),
    (#"{"fault": "drop"}"#, "what is missing"),
    (#"{"fault": "drop", "what": "reply"}"#, "did you mean 'reply:ping'"),
    (#"{"fault": "drop", "what": "login", "by_ms": 3}"#, "by_ms"),
    (#"{"fault": "drop", "what": "login", "what": "ping"}"#, ""),
    (#"{"fault": "drop", "what": "login", "times": 0}"#, "times"),
    (#"{"fault": "drop", "what": "login", "times": 1.5}"#, "times"),
    (#"{"fault": "drop", "what": "login", "times": null}"#, "times is null"),
    (#"{"fault": "drop", "what": "login", "seed": -1}"#, "seed"),
    (#"{"fault": "drop", "what": "login", "for_s": 0}"#, "for_s"),
    (#"{"fault": "drop", "what": "login", "who": "ann"}"#, "who must be an object"),
    (#"{"fault": "drop", "what": "login", "who": {"share": 1.1}}"#, "who.share"),
    (#"{"fault": "drop", "what": "login", "who": {"kind": "king"}}"#, "regular, guest, anonymous"),
    (#"{"fault": "drop", "what": "login", "who": {"users": [1]}}"#, "who.users"),
    (#"{"fault": "drop", "what": "login", "who": {"user": "ann"}}"#, "'who.user'"),
    (#"{"fault": "drop", "what": "login", "who": {"connection": 0}}"#, "who.connection"),
    (#"{"fault": "drop", "what": "login", "when": {"after": "lunch"}}"#, "refresh_requested"),
    (#"{"fault": "drop", "what": "login", "when": {"nth": 0}}"#, "when.nth"),
    (#"{"fault": "drop", "what": "login", "when": {"at": "noon"}}"#, "now, next"),
    (#"{"fault": "delay", "what": "login"}"#, "by_ms is missing"),
    (#"{"fault": "delay", "what": "login", "by_ms": -1}"#, "by_ms"),
    (#"{"fault": "delay", "what": "login", "by_ms": 1e300}"#, "by_ms"),
    (#"{"fault": "replace", "what": "login", "error": "overloaded"}"#, "text"),
    (#"{"fault": "replace", "what": "error", "error": "no_such"}"#, "token_expired"),
    (#"{"fault": "close_as", "code": 1005}"#, "may be sent"),
    (#"{"fault": "close_as", "code": 4000, "for": ["lunch"]}"#, "refresh_timeout"),
    (#"{"fault": "refuse_upgrade", "status": 200}"#, "400 to 599"),
    (#"{"fault": "drop", "what": "login", "match": {"json": {"type": 1}}}"#, "no JSON pointer"),
    (#"{"fault": "drop", "what": "login", "match": {}}"#, "match wants json"),
    (#"{"fault": "abort", "codes": [70000]}"#, "codes must be"),
    (#"{"fault": "drop", "what": "login", "side": "upstream"}"#, "side goes with"),
  ])
  func `a wrong fault order is refused, and the error names what would be right`(json: String, wanted: String) {
    let error = #expect(throws: GatewayError.self) { _ = try FaultOrder.read(json: Array(json.utf8)) }
    #expect(error?.message.contains(wanted) == true, "\(error?.message ?? "")")
  }

  @Test
  func `an order that a client makes is aimed at its wire, if the fault affects connections`() throws {
    let delay = [JSONMember("what", "reply:refresh"), JSONMember("by_ms", json: "300")]
    let late = try FaultOrder.make("delay", delay, times: 2, among: "plain")
    #expect(late.fault is Delay && late.times == 2 && late.aim.dialect == "plain")
    let ahead = [JSONMember("ahead_s", json: "60")]
    #expect(try FaultOrder.make("mint_expired", among: "plain").aim == FaultAim())
    #expect(try FaultOrder.make("issuer_clock", ahead, among: "plain").aim == FaultAim())
    #expect(throws: GatewayError.self) { _ = try FaultOrder.make("delay", times: 2) }
  }

  @Test
  func `a share of users is the same users every time, and others with another seed`() throws {
    let users = (0..<1_000).map { "user \($0)" }
    func struck(_ seed: Int) throws -> [String] {
      let faulty = try FaultyGateway()
      try faulty.fail(#"{"fault": "refuse_upgrade", "who": {"share": 0.1}, "seed": \#(seed)}"#)
      return users.prefix(300).filter { faulty.connect($0).refusal != nil }
    }
    let (one, again, other) = (try struck(7), try struck(7), try struck(8))
    #expect(one == again && one != other)
    #expect((10...60).contains(one.count) && (10...60).contains(other.count))
  }

  @Test
  func `a fault acts from the n-th occurrence on, for the given count, on the n-th connection`() throws {
    let faulty = try FaultyGateway()
    _ = faulty.connect()
    try faulty.fail(#"{"fault": "drop", "what": "reply:ping", "when": {"nth": 2}, "times": 2}"#)
    try faulty.fail(#"{"fault": "drop", "what": "reply:login", "who": {"connection": 2}}"#)
    let peers = ["b", "c", "d"].map { faulty.connect($0) }
    #expect(peers.map(\.types) == [["connected"], [], ["connected"]])
    for _ in 0..<5 {
      peers[0].say(#"{"type":"ping"}"#)
      faulty.world.settle()
    }
    #expect(peers[0].types.count == 1 + 3)
  }

  @Test
  func `users in fault orders are compared by their bytes`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "refuse_upgrade", "who": {"users": ["é"]}}"#)
    #expect(faulty.connect("é").refusal == 503)
    #expect(faulty.connect("e\u{301}").types == ["connected"])
  }

  @Test
  func `the number of active faults is bounded, and ended faults do not count`() throws {
    let faulty = try FaultyGateway()
    for _ in 0..<FaultBook.countMax {
      try faulty.fail(#"{"fault": "drop", "what": "ping", "for_s": 10}"#)
    }
    #expect(throws: GatewayError.self) { try faulty.fail(#"{"fault": "drop", "what": "ping"}"#) }
    faulty.world.advance(by: .seconds(11))
    let next = try faulty.fail(#"{"fault": "drop", "what": "ping"}"#)
    #expect(next.number == UInt32(FaultBook.countMax) + 1)
  }

  @Test
  func `a gateway without faults has nothing on its path`() throws {
    let plain = try SimulatedGateway(loops: 1)
    #expect(plain.space.space.faults == nil)
    #expect(plain.gateway.bindings.allSatisfy { !($0.dialect is FaultyDialect) })
    let faulty = try FaultyGateway()
    #expect(faulty.simulated.gateway.bindings.allSatisfy { $0.dialect is FaultyDialect })
  }
}
