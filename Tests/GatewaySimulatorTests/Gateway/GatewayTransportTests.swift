import GatewayCore
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

struct GatewayTransportTests {
  private let gateway: SimulatedGateway

  init() throws {
    gateway = try SimulatedGateway(conditions: LinkConditions(windowBytes: 10_000, queueBytesMax: 20_000))
  }

  private func join(_ user: String, _ cid: String = "default:standup") -> SimulatedPeer {
    let peer = gateway.connect(gateway.token(user))
    peer.say(#"{"type":"join","cid":"\#(cid)"}"#)
    gateway.world.settle()
    return peer
  }

  private func publish(_ content: String, by peer: SimulatedPeer, _ cid: String = "default:standup") {
    peer.say(#"{"type":"publish","cid":"\#(cid)","content":\#(content)}"#)
  }

  /// Returns the peer's call events, shortened: `+bob`, `-bob`, `bob:content`.
  private func heard(_ peer: SimulatedPeer) -> [String] {
    peer.texts.compactMap { text in
      func part(after start: String, upTo end: Character) -> Substring? {
        text.firstRange(of: start).map { text[$0.upperBound...].prefix { $0 != end } }
      }
      guard let user = part(after: #""user_id":""#, upTo: "\"") else { return nil }
      if text.contains("member_joined") { return "+\(user)" }
      if text.contains("member_left") { return "-\(user)" }
      return part(after: #""content":"#, upTo: "}").map { "\(user):\($0)" }
    }
  }

  @Test
  func `a message in a call reaches every member once, in order, on both loops, and no other client`() {
    let (ann, bob, eve, ed) = (join("ann"), join("bob"), join("eve", "default:other"), join("ed"))
    let loops = gateway.order { await $0.sessions(of: nil, after: nil, limit: 10) }?.map(\.id.loop)
    #expect(loops == [0, 0, 1, 1], "the members are on two loops")
    for number in 1...3 { publish("\(number)", by: ann) }
    publish(#"{"nested":[1,2]}"#, by: bob)
    gateway.world.settle()
    let messages = ["ann:1", "ann:2", "ann:3", #"bob:{"nested":[1,2]"#]
    #expect(heard(ann) == ["+bob", "+ed"] + messages)
    #expect(heard(bob) == ["+ed"] + messages)
    #expect(heard(ed) == messages)
    #expect(heard(eve) == [])
    ed.say(#"{"type":"leave","id":"l","cid":"default:standup"}"#)
    gateway.world.settle()
    publish("4", by: ed)
    bob.abort()
    gateway.world.settle()
    #expect(heard(ann).suffix(2) == ["-ed", "-bob"])
    #expect(gateway.notices(ed).last == .error(number: 400_006, name: "not_a_member"))
  }

  @Test
  func `a message over HTTP reaches the members too, once there is an authenticated connection`() {
    let ann = join("ann")
    let token = gateway.token("ann")
    func post(_ path: String, _ body: String = "{}") -> Int? {
      try? gateway.fetch("POST", "/v1/calls/default/standup" + path, token: token, body: body)?.get().status
    }
    #expect(post("") == 201)
    #expect(post("") == 200)
    #expect(post("/events", #"{"content":"hello"}"#) == 400, "who publishes over HTTP joins over HTTP")
    #expect(post("/join") == 200)
    #expect(post("/events", #"{"content":"hello"}"#) == 202)
    #expect(heard(ann).last == #"ann:"hello""#)
  }

  @Test
  func `a connection is in a bounded number of calls`() {
    let peer = gateway.connect(gateway.token())
    for number in 1...101 { peer.say(#"{"type":"join","cid":"default:call-\#(number)"}"#) }
    peer.say(#"{"type":"join","cid":"default:call-1"}"#)
    gateway.world.settle()
    #expect(gateway.notices(peer).filter { $0 == .error(number: 429_001, name: "too_many") }.count == 1)
    #expect(peer.texts.last?.contains("joined") == true, "to join twice is to join once")
  }

  @Test
  func `a slow consumer is disconnected with its own close code, and does not slow the others`() throws {
    let (ann, bob, slow) = (join("ann"), join("bob"), join("slow"))
    slow.faults.isReading = false
    let text = String(repeating: "x", count: 1_000)
    for _ in 0..<40 {
      publish("\"\(text)\"", by: ann)
      gateway.world.settle()
    }
    #expect(heard(bob).count { $0.hasPrefix("ann:") } == 40)
    #expect(heard(bob).last == "ann:\"\(text)\"" && heard(bob).contains("-slow"))
    gateway.world.advance(by: .seconds(5))
    #expect(slow.ending?.code == nil && slow.ending != nil, "who reads nothing sees no close frame, only the end")
    #expect(gateway.connectionCount == 2)

    let later = join("slow")
    later.faults.isReading = false
    for _ in 0..<40 {
      publish("\"\(text)\"", by: ann)
      gateway.world.settle()
    }
    later.faults.isReading = true
    gateway.world.settle()
    #expect(later.ending?.code == 4003 && later.ending?.name == "slow_consumer", "who reads again in time sees why")
  }

  @Test
  func `a client that answered a ping is pinged again after the interval, however long the timeout is`() throws {
    var configuration = GatewayConfiguration(session: try SessionPolicy())
    configuration.pingInterval = .seconds(10)
    configuration.pongTimeout = .seconds(60)
    let gateway = try SimulatedGateway(configuration)
    let gone = gateway.connect(gateway.token("gone"))
    gateway.world.advance(by: .seconds(12))
    gone.faults.isHalfOpen = true
    // Requested again at 20 s, given up at 80 s, closed at 85 s at the latest.
    gateway.world.advance(by: .seconds(67))
    #expect(gateway.connectionCount == 1)
    gateway.world.advance(by: .seconds(7))
    #expect(gateway.connectionCount == 0)
  }

  @Test
  func `a half-open socket is found by its missing pong, and the others are told that its user has left`() throws {
    let (ann, gone) = (join("ann"), join("gone"))
    gateway.world.advance(by: .seconds(60))
    #expect(gateway.connectionCount == 2)
    gone.faults.isHalfOpen = true
    // At most one interval until the ping, the pong's timeout, and the close timeout.
    gateway.world.advance(by: .seconds(30 + 10))
    #expect(heard(ann).last == "-gone")
    gateway.world.advance(by: .seconds(5))
    #expect(gateway.connectionCount == 1)
    #expect(ann.isOpen && gone.ending == nil)
    gateway.world.advance(by: .seconds(600))
    #expect(ann.isOpen, "who only answers pings stays")
  }

  @Test
  func `a peer that sends is not pinged, and one that sends without answering pings stays`() {
    let chatty = gateway.connect(gateway.token())
    chatty.faults.answersPings = false
    for _ in 0..<10 {
      gateway.world.advance(by: .seconds(29))
      chatty.say(gateway.dialect.encode(.ping))
    }
    gateway.world.settle()
    #expect(!gateway.world.trace.lines.contains { $0.hasSuffix("-> ping") })
    gateway.world.advance(by: .seconds(39))
    #expect(chatty.isOpen)
    chatty.say(gateway.dialect.encode(.ping))
    gateway.world.advance(by: .seconds(39))
    #expect(chatty.isOpen)
    gateway.world.advance(by: .seconds(1))
    #expect(chatty.ending?.code == 4002)
  }

  @Test
  func `thousands of connects and aborts leave nothing behind`() {
    for round in 0..<500 {
      let peer = round % 3 == 0 ? gateway.connect() : join("user \(round)")
      if round % 2 == 0 { peer.abort() } else { peer.close() }
    }
    gateway.world.advance(by: .seconds(20))
    #expect(gateway.connectionCount == 0)
    #expect(gateway.order { await $0.phases() }?.allSatisfy { $0.value == 0 } == true)
    let waiting = gateway.world.loops.map(\.eventLoop.deadlines.count)
    #expect(waiting == [0, 0, 0], "no deadline is left set")
  }

  @Test
  func `the counters agree with what happened, by reason`() throws {
    let kept = gateway.connect(gateway.token("ann", life: .seconds(100)))
    let lost = gateway.connect(gateway.token("bob", life: .seconds(100)))
    gateway.world.advance(by: .seconds(107))
    kept.say(gateway.dialect.encode(.refresh(gateway.token("ann"))))
    gateway.world.advance(by: .seconds(60))
    #expect(!lost.isOpen)
    let metrics = try #require(gateway.order { await $0.metrics() })
    #expect(metrics.total.connectionsOpened == 2)
    #expect(metrics.total.connectionsEnded.values == ["refresh_timeout": 1])
    #expect(metrics.total.refreshesRequested.values == [.expiry: 2])
    #expect(metrics.total.refreshDuration.count == 1)
  }
}
