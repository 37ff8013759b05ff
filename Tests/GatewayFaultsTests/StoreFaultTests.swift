import GatewayCore
import GatewayFaults
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@Suite("Faults of the store")
struct StoreFaultTests {
  let faulty: FaultyGateway

  init() throws {
    faulty = try FaultyGateway()
  }

  private func guest() throws -> Int { try #require(try faulty.simulated.fetch("POST", "/v1/guests")?.get()).status }

  @Test("what needs the store is refused while it is away, and done when it is back", arguments: ["away", "conflict"])
  func away(word: String) throws {
    try faulty.fail(#"{"fault": "store_\#(word)", "for_s": 10}"#)
    #expect(try guest() == 503)
    #expect(faulty.connect().types == ["connected"], "a token that says everything itself needs no store")
    faulty.world.advance(by: .seconds(10))
    #expect(try guest() == 201)
  }

  @Test("what is lost or overtaken now and then is done all the same", arguments: ["lost_answer", "conflict"])
  func again(word: String) throws {
    let fault = try faulty.fail(#"{"fault": "store_\#(word)", "times": 2}"#)
    #expect(try guest() == 201 && fault.count == 2)
  }

  @Test("an answer that is always lost is a refusal")
  func lost() throws {
    let fault = try faulty.fail(#"{"fault": "store_lost_answer"}"#)
    #expect(try guest() == 503 && fault.count > 2)
  }

  @Test("everything takes its time")
  func slow() throws {
    try faulty.fail(#"{"fault": "store_slow", "by_ms": 500, "times": 1}"#)
    let began = faulty.world.now
    #expect(try guest() == 201)
    #expect(faulty.world.now == began + .milliseconds(500))
  }
}
