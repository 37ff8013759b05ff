import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayFaults

struct ClockFaultTests {
  let faulty: FaultyGateway

  init() throws {
    faulty = try FaultyGateway()
    faulty.world.advance(by: .seconds(5))
  }

  @Test(arguments: [(4, nil), (6, 401), (-600, nil), (-607, 401)] as [(Int, Int?)])
  func `tokens of an issuer with a wrong clock are accepted within the leeway of 5 s, either way`(
    ahead: Int, refusal: Int?
  ) throws {
    try faulty.fail(#"{"fault": "issuer_clock", "ahead_s": \#(ahead)}"#)
    // A clock that is behind by more than the token's life and the leeway makes the token expired.
    #expect(faulty.simulated.connect(try faulty.minted(for: "ann", life: 602)).refusal == refusal)
  }

  @Test(arguments: [(-4, nil), (-6, 401), (600, nil), (607, 401)] as [(Int, Int?)])
  func `a gateway with a wrong clock decides by that clock`(ahead: Int, refusal: Int?) throws {
    let fault = try faulty.fail(#"{"fault": "gateway_clock", "ahead_s": \#(ahead)}"#)
    let token = try faulty.minted(for: "ann", life: 602)
    #expect(faulty.simulated.connect(token).refusal == refusal)
    try faulty.mend(fault)
    #expect(faulty.simulated.connect(token).types == ["connected"])
  }

  @Test
  func `a session has less of its token's life at a gateway whose clock is ahead`() throws {
    try faulty.fail(#"{"fault": "gateway_clock", "ahead_s": 300}"#)
    let ann = faulty.connect(life: .seconds(600))
    #expect(ann.texts.first?.contains(#""expires_in_ms":300000"#) == true)
  }

  @Test
  func `a gateway's clock drifts, and two faults of clocks add up`() throws {
    try faulty.fail(#"{"fault": "gateway_clock", "drift": 0.1}"#)
    try faulty.fail(#"{"fault": "gateway_clock", "ahead_s": 10, "when": {"at_s": 50}, "for_s": 100}"#)
    func life() -> String? {
      let text = faulty.connect(life: .seconds(600)).texts.first
      return text?.firstMatch(of: #/"expires_in_ms":(\d+)/#).map { String($0.1) }
    }
    #expect(life() == "600000")
    faulty.world.advance(by: .seconds(100))
    #expect(life() == "580000")
    faulty.world.advance(by: .seconds(100))
    #expect(life() == "580000")
  }

  @Test
  func `an issuer's clock drifts`() throws {
    try faulty.fail(#"{"fault": "issuer_clock", "drift": 0.01}"#)
    faulty.world.advance(by: .seconds(400))
    #expect(faulty.simulated.connect(try faulty.minted(for: "ann")).types == ["connected"])
    faulty.world.advance(by: .seconds(200))
    #expect(faulty.simulated.connect(try faulty.minted(for: "ann")).refusal == 401)
  }

  @Test(arguments: [
    #"{"fault": "gateway_clock", "ahead_s": 1, "who": {"users": ["ann"]}}"#,
    #"{"fault": "gateway_clock", "ahead_s": 1, "times": 1}"#, #"{"fault": "gateway_clock"}"#,
    #"{"fault": "gateway_clock", "ahead_s": 1e300}"#, #"{"fault": "gateway_clock", "drift": -2}"#,
    #"{"fault": "store_away", "who": {"kind": "guest"}}"#, #"{"fault": "answer_never", "when": {"after": "closed"}}"#,
  ])
  func `a clock fault for one user, or for a number of times, is refused`(order: String) {
    #expect(throws: GatewayError.self) { try faulty.fail(order) }
  }
}
