import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayFaults

struct StoreFaultTests {
  let faulty: FaultyGateway

  init() throws {
    faulty = try FaultyGateway()
  }

  private func guest() throws -> Int { try #require(try faulty.simulated.fetch("POST", "/v1/guests")?.get()).status }

  @Test(arguments: ["away", "conflict"])
  func `requests that need an unavailable store are refused, and succeed when it is back`(word: String) throws {
    try faulty.fail(#"{"fault": "store_\#(word)", "for_s": 10}"#)
    #expect(try guest() == 503)
    #expect(faulty.connect().types == ["connected"], "a token that says everything itself needs no store")
    faulty.world.advance(by: .seconds(10))
    #expect(try guest() == 201)
  }

  @Test(arguments: ["lost_answer", "conflict"])
  func `commits whose answers are sometimes lost or overtaken still apply`(word: String) throws {
    let fault = try faulty.fail(#"{"fault": "store_\#(word)", "times": 2}"#)
    #expect(try guest() == 201 && fault.count == 2)
  }

  @Test
  func `a store whose answers are always lost leads to a refusal`() throws {
    let fault = try faulty.fail(#"{"fault": "store_lost_answer"}"#)
    #expect(try guest() == 503 && fault.count > 2)
  }

  @Test
  func `a slow store delays everything`() throws {
    try faulty.fail(#"{"fault": "store_slow", "by_ms": 500, "times": 1}"#)
    let began = faulty.world.now
    #expect(try guest() == 201)
    #expect(faulty.world.now == began + .milliseconds(500))
  }
}
