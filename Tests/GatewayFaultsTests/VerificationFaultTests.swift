import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayFaults

struct VerificationFaultTests {
  let faulty: FaultyGateway

  init() throws {
    faulty = try FaultyGateway()
    faulty.world.advance(by: .seconds(5))
  }

  @Test
  func `a good token is refused at the refresh, with the ordered error`() throws {
    try faulty.fail(#"{"fault": "refuse_token", "error": "audience_mismatch", "of": "refresh", "times": 1}"#)
    let ann = faulty.connect()
    #expect(ann.types == ["connected"])
    faulty.expire()
    faulty.refresh(ann)
    #expect(ann.types.last == "error" && ann.texts.last?.contains("audience_mismatch") == true)
    faulty.world.advance(by: .seconds(1))
    faulty.refresh(ann)
    #expect(ann.types.last == "refreshed", "\(ann.texts)")
  }

  @Test
  func `a good token is refused at the login once for each occurrence, although an HTTP request asks whose it is`()
    throws
  {
    let fault = try faulty.fail(#"{"fault": "refuse_token", "of": "login", "times": 2}"#)
    try faulty.fail(#"{"fault": "refuse_upgrade", "status": 503, "who": {"users": ["martin"]}}"#)
    #expect(faulty.connect("martin").refusal == 503 && fault.count == 0)
    #expect(faulty.connect("ann").refusal == 401 && fault.count == 1)
    #expect(faulty.connect("bob").refusal == 401 && fault.count == 2)
    let cleo = faulty.connect("cleo")
    #expect(cleo.types == ["connected"], "\(cleo.events)")
  }

  @Test
  func `a token that is refused at sockets is refused over HTTP with the same error, and counts as an occurrence`()
    throws
  {
    let token = faulty.simulated.token()
    let ann = faulty.simulated.connect(token)
    let ask = { try #require(try faulty.simulated.fetch("GET", "/v1/calls/default/a", token: token)?.get()) }
    #expect(try ask().status == 404)
    let fault = try faulty.fail(
      #"{"fault": "refuse_token", "error": "signature_invalid", "of": "login", "who": {"users": ["ann"]}, "times": 2}"#)
    #expect(faulty.connect("bob").types == ["connected"] && fault.count == 0)
    let answer = try ask()
    #expect(answer.status == 401 && String(decoding: answer.body, as: UTF8.self).contains("signature_invalid"))
    #expect(fault.count == 1 && faulty.simulated.connect(token).refusal == 401 && fault.count == 2)
    #expect(try ask().status == 404 && ann.types == ["connected"])
    try faulty.fail(#"{"fault": "refuse_for_now"}"#)
    #expect(try ask().status == 503)
  }

  @Test
  func `rotated keys refuse old tokens over HTTP too, and a fault of refreshes refuses no request`() throws {
    let old = faulty.simulated.token()
    _ = faulty.simulated.connect(old)
    faulty.world.advance(by: .seconds(1))
    let status = { token in try faulty.simulated.fetch("GET", "/v1/calls/default/a", token: token)?.get().status }
    try faulty.fail(#"{"fault": "refuse_token", "of": "refresh"}"#)
    #expect(try status(old) == 404)
    try faulty.fail(#"{"fault": "rotate_keys"}"#)
    #expect(try status(old) == 401)
    faulty.world.advance(by: .seconds(1))
    #expect(try status(faulty.simulated.token()) == 404)
  }

  @Test
  func `a token that cannot be verified now is neither good nor bad, however often it comes`() throws {
    try faulty.fail(#"{"fault": "refuse_for_now", "of": "refresh", "times": 20, "who": {"users": ["ann"]}}"#)
    let (ann, bob) = (faulty.connect("ann"), faulty.connect("bob"))
    faulty.expire("ann")
    faulty.expire("bob")
    faulty.refresh(bob, "bob")
    #expect(bob.types.last == "refreshed", "\(bob.texts)")
    for _ in 0..<20 {
      faulty.refresh(ann)
      #expect(ann.texts.last?.contains("store_unavailable") == true)
      faulty.world.advance(by: .seconds(1))
    }
    faulty.refresh(ann)
    #expect(ann.types.last == "refreshed" && ann.hasHeardNoEnd)
  }

  @Test
  func `an outage of the identity provider disconnects no connected user for an hour, and keeps others out`() throws {
    let ann = faulty.connect("ann")
    let fault = try faulty.fail(#"{"fault": "refuse_for_now", "error": "identity_unavailable"}"#)
    faulty.expire("ann")
    for _ in 0..<59 {
      faulty.refresh(ann)
      #expect(ann.texts.last?.contains("503005") == true)
      faulty.world.advance(by: .seconds(59))
    }
    #expect(faulty.connect("bob").refusal == 503)
    try faulty.mend(fault)
    faulty.refresh(ann)
    #expect(ann.types.last == "refreshed" && ann.hasHeardNoEnd)
  }

  @Test
  func `a fault of unverifiable tokens allows no other error`() {
    #expect(throws: GatewayError.self) {
      try faulty.fail(#"{"fault": "refuse_for_now", "error": "signature_invalid"}"#)
    }
  }

  @Test
  func `a slow judgement delays the login after the 101, once`() throws {
    let fault = try faulty.fail(#"{"fault": "judge_slowly", "by_ms": 2000, "who": {"users": ["ann"]}, "times": 2}"#)
    #expect(faulty.connect("bob").types == ["connected"])
    let ann = faulty.connect("ann")
    #expect(ann.isOpen && ann.types.isEmpty && fault.count == 1)
    faulty.world.advance(by: .milliseconds(1_999))
    #expect(ann.types.isEmpty)
    faulty.world.advance(by: .milliseconds(1))
    #expect(ann.types == ["connected"])
    faulty.expire("ann")
    faulty.refresh(ann)
    #expect(ann.types.last == "refresh_required" && fault.count == 2)
    faulty.world.advance(by: .seconds(2))
    #expect(ann.types.last == "refreshed")
    #expect(faulty.connect("ann").types == ["connected"])
  }

  @Test
  func `rotated keys admit old tokens for a while, and connections stay`() throws {
    let old = faulty.simulated.token()
    let ann = faulty.simulated.connect(old)
    faulty.world.advance(by: .seconds(1))
    let fault = try faulty.fail(#"{"fault": "rotate_keys", "overlap_s": 30}"#)
    #expect(faulty.simulated.connect(old).types == ["connected"])
    faulty.world.advance(by: .seconds(30))
    #expect(faulty.simulated.connect(old).refusal == 401 && fault.count == 1)
    #expect(faulty.connect().types == ["connected"] && ann.types == ["connected"])
    try faulty.mend(fault)
    #expect(faulty.simulated.connect(old).types == ["connected"])
  }

  @Test
  func `withdrawn keys make the gateway ask for new tokens on the same connection`() throws {
    let old = faulty.simulated.token()
    let (ann, bob) = (faulty.simulated.connect(old), faulty.connect("bob"))
    faulty.world.advance(by: .seconds(1))
    try faulty.fail(#"{"fault": "withdraw_keys", "who": {"users": ["ann"]}}"#)
    #expect(ann.types.last == "refresh_required" && bob.types == ["connected"])
    ann.say(#"{"type":"refresh","token":"\#(old.token)"}"#)
    faulty.world.settle()
    #expect(ann.types.last == "error" && faulty.simulated.connect(old).refusal == 401)
    faulty.world.advance(by: .seconds(1))
    faulty.refresh(ann)
    #expect(ann.types.last == "refreshed")
  }
}
