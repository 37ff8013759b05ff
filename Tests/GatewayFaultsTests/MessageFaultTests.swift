import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

struct MessageFaultTests {
  @Test
  func `a dropped reply never comes, though the refresh counts`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    let fault = try faulty.fail(#"{"fault": "drop", "what": "reply:refresh", "times": 1}"#)
    faulty.expire()
    faulty.refresh(ann)
    #expect(ann.types == ["connected", "refresh_required"])
    #expect(fault.count == 1)
    faulty.expire()
    faulty.refresh(ann)
    #expect(ann.types == ["connected", "refresh_required", "refresh_required", "refreshed"])
    #expect(faulty.lines(.refreshed).count == 2)
    let told = faulty.lines(.faulted)
    #expect(told.map(\.fault) == ["drop"] && told[0].user == UserID("ann") && told[0].connection != nil)
  }

  @Test
  func `a dropped request leads to the same end as a missed one`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "drop", "what": "request:refresh"}"#)
    faulty.expire()
    #expect(ann.types == ["connected"])
    faulty.world.advance(by: .seconds(61))
    #expect(ann.closeCode == 4000)
  }

  @Test
  func `a dropped token leaves the client without an answer`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "drop", "what": "refresh", "times": 1}"#)
    faulty.expire()
    faulty.refresh(ann)
    #expect(ann.types == ["connected", "refresh_required"])
    faulty.refresh(ann)
    #expect(ann.types.last == "refreshed")
  }

  @Test
  func `a delayed request comes later by the delay, while the timeout runs on`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "delay", "what": "request:refresh", "by_ms": 2000, "times": 1}"#)
    let before = faulty.world.now
    faulty.expire()
    #expect(ann.types == ["connected"])
    faulty.world.advance(by: .milliseconds(1_990))
    #expect(ann.types == ["connected"])
    faulty.world.advance(by: .milliseconds(20))
    #expect(ann.types == ["connected", "refresh_required"])
    #expect(faulty.world.now - before < .seconds(3))
  }

  @Test
  func `a duplicated message comes twice, either way`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "duplicate", "what": "request:refresh", "times": 1}"#)
    try faulty.fail(#"{"fault": "duplicate", "what": "ping", "times": 1}"#)
    faulty.expire()
    #expect(ann.types == ["connected", "refresh_required", "refresh_required"])
    ann.say(#"{"type":"ping"}"#)
    faulty.world.settle()
    #expect(ann.types.suffix(2) == ["pong", "pong"])
  }

  @Test
  func `a reordered message comes behind the next`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "reorder", "what": "request:refresh", "times": 1}"#)
    faulty.expire()
    #expect(ann.types == ["connected"])
    ann.say(#"{"type":"ping"}"#)
    faulty.world.settle()
    #expect(ann.types == ["connected", "pong", "refresh_required"])
  }

  @Test
  func `a message is replaced by another text, or by an error in the words of the wire`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "replace", "what": "reply:ping", "text": "{\"type\":\"nobody_knows\"}", "times": 1}"#)
    try faulty.fail(#"{"fault": "replace", "what": "reply:refresh", "error": "store_unavailable", "times": 1}"#)
    ann.say(#"{"type":"ping"}"#)
    faulty.world.settle()
    #expect(ann.types == ["connected", "nobody_knows"])
    faulty.expire()
    faulty.refresh(ann)
    #expect(ann.types.last == "error")
    #expect(ann.texts.last?.contains("503004") == true)
  }

  @Test
  func `a corrupted message is cut in its middle, and stays text`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "corrupt", "what": "request:refresh", "times": 1}"#)
    faulty.expire()
    #expect(ann.texts.count == 2)
    let cut = try #require(ann.texts.last)
    #expect(cut.hasPrefix("{") && !cut.hasSuffix("}") && cut.utf8.count > 10)
  }

  @Test
  func `delayed messages are forgotten with the gateway's faults`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "delay", "what": "request:refresh", "by_ms": 2000}"#)
    faulty.expire()
    let faults = try #require(faulty.simulated.space.space.faults)
    _ = faulty.world.ask { faults.end() }
    faulty.world.advance(by: .seconds(5))
    #expect(ann.types == ["connected"])
  }
}
