import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

struct EndingFaultTests {
  @Test
  func `a fault changes the code of close frames for the named reasons`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "close_as", "for": ["refresh_timeout"], "code": 1011, "reason": "oops"}"#)
    let (ann, bob) = (faulty.connect("ann"), faulty.connect("bob"))
    faulty.expire("ann")
    _ = faulty.simulated.order { try? await $0.control(UserID("bob"), .disconnect(.disconnected)) }
    faulty.world.advance(by: .seconds(61))
    #expect(ann.closeCode == 1011)
    #expect(bob.closeCode == 4005)
    #expect(faulty.closes(of: "ann") == [1011, 1011] && faulty.closes(of: "bob") == [4005, 4005])
  }

  @Test
  func `a fault ends the transport without a close frame`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "abort"}"#)
    let ann = faulty.connect()
    _ = faulty.simulated.order { try? await $0.control(UserID("ann"), .disconnect(.disconnected)) }
    faulty.world.advance(by: .seconds(1))
    #expect(!ann.hasHeardNoEnd && ann.closeCode == nil)
    // No frame was sent, whatever the gateway intended.
    #expect(faulty.closes(of: "ann") == [1006, 1006])
  }

  @Test
  func `a fault leaves a connection as a ghost: the client receives nothing more, and the gateway has forgotten it`()
    throws
  {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "never_close", "times": 1}"#)
    let ann = faulty.connect()
    _ = faulty.simulated.order { try? await $0.control(UserID("ann"), .disconnect(.disconnected)) }
    faulty.world.advance(by: .seconds(100))
    #expect(ann.hasHeardNoEnd && ann.isOpen)
    #expect(faulty.simulated.connectionCount == 0)
    ann.say(#"{"type":"ping"}"#)
    faulty.world.settle()
    #expect(ann.types == ["connected"])
    ann.close()
    faulty.world.advance(by: .seconds(1))
    #expect(!ann.hasHeardNoEnd)
  }

  @Test
  func `a reset ends present connections, and no later ones`() throws {
    let faulty = try FaultyGateway()
    let (ann, bob) = (faulty.connect("ann"), faulty.connect("bob"))
    try faulty.fail(#"{"fault": "reset", "who": {"users": ["ann"]}}"#)
    faulty.world.advance(by: .seconds(1))
    #expect(!ann.hasHeardNoEnd && ann.closeCode == nil)
    #expect(bob.hasHeardNoEnd)
    #expect(faulty.connect("ann").types == ["connected"])
  }

  @Test
  func `a reset follows an event, on the connection of that event`() throws {
    let faulty = try FaultyGateway()
    let (ann, bob) = (faulty.connect("ann"), faulty.connect("bob"))
    try faulty.fail(#"{"fault": "reset", "when": {"after": "refresh_requested"}, "times": 1}"#)
    faulty.world.advance(by: .seconds(1))
    #expect(ann.hasHeardNoEnd && bob.hasHeardNoEnd)
    faulty.expire("bob")
    faulty.world.advance(by: .seconds(1))
    #expect(ann.hasHeardNoEnd)
    #expect(bob.types == ["connected", "refresh_required"] && !bob.hasHeardNoEnd)
  }

  @Test
  func `a half-open connection delivers nothing until the fault ends`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    let fault = try faulty.fail(#"{"fault": "half_open"}"#)
    ann.say(#"{"type":"ping"}"#)
    faulty.expire()
    #expect(ann.types == ["connected"] && ann.hasHeardNoEnd)
    try faulty.mend(fault)
    // The client's messages had reached the system.
    #expect(ann.types == ["connected", "pong"])
    ann.say(#"{"type":"ping"}"#)
    faulty.world.settle()
    #expect(ann.types == ["connected", "pong", "pong"])
  }

  @Test
  func `a half-open connection ends for the gateway alone`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "half_open"}"#)
    faulty.expire()
    faulty.world.advance(by: .seconds(200))
    #expect(ann.types == ["connected"] && ann.hasHeardNoEnd)
    #expect(faulty.simulated.connectionCount == 0)
  }

  @Test
  func `a fault begins and ends at its times`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "half_open", "when": {"at_s": 5}, "for_s": 5}"#)
    for (seconds, hears) in [(1, true), (5, false), (5, true)] {
      faulty.world.advance(by: .seconds(seconds))
      let before = ann.types.count
      ann.say(#"{"type":"ping"}"#)
      faulty.world.settle()
      #expect((ann.types.count > before) == hears, "after \(seconds) s more")
    }
  }

  @Test
  func `a gateway that does not read delivers what was sent when the fault ends`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    let fault = try faulty.fail(#"{"fault": "stop_reading"}"#)
    ann.say(#"{"type":"ping"}"#)
    faulty.expire()
    #expect(ann.types == ["connected", "refresh_required"])
    try faulty.mend(fault)
    #expect(ann.types == ["connected", "refresh_required", "pong"])
  }

  @Test
  func `pings get no pongs until the fault is taken back, while messages are answered`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    func pongs() -> Int { ann.events.count { $0.event == .pong } }
    let fault = try faulty.fail(#"{"fault": "no_pongs"}"#)
    ann.ping()
    ann.say(#"{"type":"ping"}"#)
    faulty.world.settle()
    #expect(pongs() == 0 && ann.types == ["connected", "pong"])
    try faulty.mend(fault)
    ann.ping()
    faulty.world.settle()
    #expect(pongs() == 1)
  }

  @Test
  func `a close frame gets no answer by order of a fault`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "unfinished_close"}"#)
    ann.close()
    faulty.world.advance(by: .seconds(10))
    #expect(ann.hasHeardNoEnd)
    #expect(faulty.simulated.connectionCount == 0)
  }
}
