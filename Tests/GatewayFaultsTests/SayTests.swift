import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayFaults

struct SayTests {
  private func frames(of peer: SimulatedPeer) -> [Frame] {
    peer.events.compactMap { if case .message(let frame) = $0.event { frame } else { nil } }
  }

  private func say(_ saying: Saying, to user: String, in faulty: FaultyGateway) -> SayingsDone? {
    let done = faulty.simulated.order { await $0.say(saying, to: .user(UserID(user))) } ?? nil
    faulty.world.settle()
    return done
  }

  @Test
  func `an operator's message to a user reaches each of the user's connections and no others`() throws {
    let faulty = try FaultyGateway()
    let (one, other, bob) = (faulty.connect(), faulty.connect(), faulty.connect("bob"))
    let done = say(.frame(Frame(text: #"{"type":"notice"}"#)), to: "ann", in: faulty)
    #expect(done?.told == 2 && done?.wordless == 0)
    for peer in [one, other] { #expect(peer.types == ["connected", "notice"]) }
    #expect(bob.types == ["connected"])
    let lines = faulty.lines(.messageOut).filter { line in
      if case .messageOut(.said, nil, bytes: 17) = line.event { true } else { false }
    }
    #expect(lines.count == 2)
  }

  @Test
  func `an operator's refresh request leaves the session as it is, and an answer renews it`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect(life: .seconds(3_600))
    #expect(say(.refreshRequest, to: "ann", in: faulty)?.told == 1)
    #expect(ann.types == ["connected", "refresh_required"])
    faulty.world.advance(by: .seconds(300))
    #expect(ann.closeCode == nil)
    #expect(faulty.lines(.refreshRequested).isEmpty)
    faulty.refresh(ann)
    #expect(ann.types.last == "refreshed")
  }

  @Test
  func `a message to a connection that is closing is not counted`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "stop_reading"}"#)
    let count = faulty.simulated.order { gateway -> Int? in
      _ = try? await gateway.control(UserID("ann"), .disconnect(.disconnected))
      return await gateway.say(.frame(Frame(text: "late")), to: .user(UserID("ann")))?.told ?? 0
    }
    #expect(count == 0)
    faulty.world.settle()
    #expect(ann.types == ["connected"])
  }

  @Test
  func `the fault say sends its message after each login, as often as ordered`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(
      #"{"fault": "say", "text": "{\"type\":\"hello\"}", "when": {"after": "logged_in"}, "times": 2}"#)
    let peers = ["ann", "bob", "eve"].map { faulty.connect($0) }
    faulty.world.settle()
    #expect(peers.map(\.types) == [["connected", "hello"], ["connected", "hello"], ["connected"]])
  }

  @Test
  func `the fault say without a moment speaks at once to the connections that are there`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    let fault = try faulty.fail(#"{"fault": "say", "base64": "AAEC"}"#)
    #expect(frames(of: ann).last == Frame(.binary, [0, 1, 2]))
    #expect(fault.count == 1)
    #expect(faulty.connect("bob").types == ["connected"])
  }

  @Test
  func `the fault say for the second connection speaks once that is open`() throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "say", "text": "first!", "who": {"connection": 2}}"#)
    let peers = ["ann", "bob", "eve"].map { faulty.connect($0) }
    #expect(peers.map { frames(of: $0).contains(Frame(text: "first!")) } == [false, true, false])
  }

  @Test
  func `other faults also apply to an operator's message`() throws {
    let faulty = try FaultyGateway()
    let ann = faulty.connect()
    try faulty.fail(#"{"fault": "drop", "what": "any:out", "times": 1}"#)
    #expect(say(.frame(Frame(text: "gone")), to: "ann", in: faulty)?.told == 1)
    #expect(say(.frame(Frame(text: #"{"type":"there"}"#)), to: "ann", in: faulty)?.told == 1)
    #expect(ann.types == ["connected", "there"])
  }

  @Test(arguments: [
    (#"{"fault": "say"}"#, "one of text, base64 and mean"),
    (#"{"fault": "say", "text": "a", "mean": "request:refresh"}"#, "one of text, base64 and mean"),
    (#"{"fault": "say", "mean": "reply:login"}"#, "mean must be request:refresh"),
    (#"{"fault": "say", "base64": "!"}"#, "base64 must be base64"),
  ])
  func `an order for say that names no message, or two, is refused`(order: String, reason: String) {
    #expect { try FaultOrder.read(json: Array(order.utf8)) } throws: { error in
      (error as? GatewayError)?.message.contains(bytesOf: reason) == true
    }
  }

  @Test(arguments: [("message_out", "client"), ("faulted", "client"), ("message_in", "upstream")])
  func `an order for say that would trigger itself endlessly is refused`(event: String, side: String) {
    let order = #"{"fault": "say", "text": "a", "side": "\#(side)", "when": {"after": "\#(event)"}}"#
    #expect { try FaultOrder.read(json: Array(order.utf8)) } throws: { error in
      (error as? GatewayError)?.message.contains(bytesOf: "give times") == true
    }
  }

  @Test(arguments: ["message_out", "faulted"])
  func `the fault say that follows itself ends after its times`(event: String) throws {
    let faulty = try FaultyGateway()
    try faulty.fail(#"{"fault": "say", "text": "again", "when": {"after": "\#(event)"}, "times": 3}"#)
    let ann = faulty.connect()
    if event == "faulted" { try faulty.fail(#"{"fault": "drop", "what": "any:out", "times": 1}"#) }
    #expect(say(.frame(Frame(text: "first")), to: "ann", in: faulty)?.told == 1)
    faulty.world.settle()
    #expect(frames(of: ann).filter { $0 == Frame(text: "again") }.count == 3)
  }

  @Test
  func `a message is at most 65,536 bytes long, also in base64`() throws {
    _ = try Saying(text: String(repeating: "a", count: 65_536), base64: nil, mean: nil)
    #expect(throws: GatewayError.self) {
      try Saying(text: String(repeating: "a", count: 65_537), base64: nil, mean: nil)
    }
    let large = Base64.encode([UInt8](repeating: 0, count: 65_537))
    #expect(throws: GatewayError.self) { try Saying(text: nil, base64: large, mean: nil) }
  }
}
