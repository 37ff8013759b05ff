import GatewayCore
import GatewayFaults
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import Testing

struct ProxyFaultTests {
  private func world(_ conditions: LinkConditions = LinkConditions()) -> ProxyWorld {
    ProxyWorld(conditions: conditions, isControlled: true)
  }

  /// Sends five messages each way, and returns what arrived.
  private func exchange(_ proxied: ProxyWorld) throws -> (up: [String], down: [String]) {
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.last)
    for number in 1...5 {
      client.say(#"{"n":\#(number)}"#)
      target.act { _ = $0.send(Frame(text: #"{"n":\#(number)}"#)) }
      proxied.world.settle()
    }
    proxied.world.advance(by: .seconds(60))
    let numbers = { (texts: [String]) in texts.map { $0.filter { !#"{"n":}"#.contains($0) } } }
    return (numbers(target.texts), numbers(client.texts))
  }

  @Test(arguments: [
    (#"{"fault": "drop", "WHERE": {"json": {"/n": 2}}}"#, ["1", "3", "4", "5"]),
    (#"{"fault": "drop", "when": {"nth": 4}, "times": 1, "WHERE": {"prefix": "{"}}"#, ["1", "2", "3", "5"]),
    (#"{"fault": "delay", "by_ms": 1000, "times": 2, "WHERE": {"prefix": "{"}}"#, ["3", "4", "5", "1", "2"]),
    (#"{"fault": "duplicate", "WHERE": {"json": {"/n": 5}}}"#, ["1", "2", "3", "4", "5", "5"]),
    (#"{"fault": "reorder", "WHERE": {"json": {"/n": 3}}}"#, ["1", "2", "4", "3", "5"]),
    (#"{"fault": "replace", "text": "9", "WHERE": {"json": {"/n": 1}}}"#, ["9", "2", "3", "4", "5"]),
    (#"{"fault": "corrupt", "WHERE": {"json": {"/n": 1}}}"#, ["", "2", "3", "4", "5"]),
    (#"{"fault": "drop", "who": {"connection": 2}, "WHERE": {"prefix": "{"}}"#, ["1", "2", "3", "4", "5"]),
    (#"{"fault": "drop", "WHERE": {"json": {"/n": "2"}}}"#, ["1", "2", "3", "4", "5"]),
    (#"{"fault": "drop", "WHERE": {"prefix": "{", "json": {"": 1}}}"#, ["1", "2", "3", "4", "5"]),
  ])
  func `messages are changed by number and content in one direction, and pass in the other`(
    order: String, wanted: [String]
  ) throws {
    let plain = ["1", "2", "3", "4", "5"]
    for what in ["any:in", "any:out"] {
      let proxied = world()
      try proxied.fail(order.replacing(#""WHERE""#, with: #""what": "\#(what)", "match""#))
      let (up, down) = try exchange(proxied)
      #expect(what == "any:in" ? up == wanted && down == plain : up == plain && down == wanted, "\(up) \(down)")
    }
  }

  @Test
  func `a record that ends with U+001E is found by its JSON, alone or among others in a message`() throws {
    let proxied = world()
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.last)
    try proxied.fail(#"{"fault": "drop", "what": "any:in", "match": {"json": {"/type": 6}}}"#)
    let passing = ["{\"type\":1}\u{1e}", "\u{1e}", "{\"type\":1}\u{1e}{\"type\":3}\u{1e}", "{\"type\":\"\\u001e6\"}"]
    for text in passing + ["{\"type\":6}\u{1e}", "{\"type\":1}\u{1e}{\"type\":6}\u{1e}"] { client.say(text) }
    proxied.world.settle()
    #expect(target.texts == passing)
  }

  @Test
  func `an upgrade is refused or never answered, and the target is not dialled`() throws {
    let proxied = world()
    try proxied.fail(#"{"fault": "refuse_upgrade", "status": 503, "retry_after_s": 2, "times": 1}"#)
    let listener = AnswerListener()
    proxied.dial(listener)
    #expect(listener.answer?.status == 503 && listener.answer?.header("retry-after") == "2")
    #expect(listener.answer?.header("postern-proxy") == "fault")
    try proxied.fail(#"{"fault": "never_answer", "times": 1}"#)
    let silent = proxied.connect()
    proxied.world.advance(by: .seconds(5))
    #expect(silent.refusal == nil && !silent.isOpen && proxied.site.upgrades.isEmpty)
    #expect(proxied.connect().isOpen)
    #expect(proxied.lines(.faulted).map(\.fault) == ["refuse_upgrade", "never_answer"])
  }

  @Test(
    arguments: [
      (#"{"fault": "close_as", "codes": [4000], "code": 1011}"#, 1011),
      (#"{"fault": "abort", "codes": ["3999-4001"]}"#, nil),
      (#"{"fault": "reset_instead"}"#, nil), (#"{"fault": "close_as", "codes": [4001], "code": 1011}"#, 4000),
    ] as [(String, UInt16?)])
  func `the gateway's close reaches the client as a fault says`(order: String, code: UInt16?) throws {
    let proxied = world()
    let client = proxied.connect()
    try proxied.fail(order)
    try #require(proxied.site.sockets.first).act { $0.close(CloseReason(code: 4000, name: "ended")!) }
    proxied.world.advance(by: .seconds(20))
    let ending = try #require(client.ending)
    #expect(ending.code == code)
    let line = try #require(proxied.lines(.closed).first)
    guard case .closed(let close, by: .gateway) = line.event else {
      Issue.record("\(line.event)")
      return
    }
    #expect(close.code == code ?? 1006)
    #expect(proxied.route.connectionCount == 0)
  }

  @Test
  func `a close by the proxy meets a fault once, although the gateway answers it`() async throws {
    let proxied = world()
    let client = proxied.connect()
    let fault = try proxied.fail(#"{"fault": "close_as", "code": 1011}"#)
    #expect(try await proxied.askText("POST", "/sessions/disconnect") == #"200 {"sessions":1}"#)
    #expect(client.ending?.code == 1011 && proxied.site.sockets.first?.ending == .some(4005))
    #expect(fault.count == 1 && proxied.lines(.faulted).count == 1)
  }

  @Test
  func `a close that a fault drops leaves the client connected`() throws {
    let proxied = world()
    let client = proxied.connect()
    try proxied.fail(#"{"fault": "never_close", "times": 1}"#)
    try #require(proxied.site.sockets.first).act { $0.close(.goingAway) }
    proxied.world.advance(by: .seconds(60))
    #expect(client.ending == nil && client.isOpen && proxied.route.connectionCount == 0)
    client.say("anybody?")
    proxied.world.settle()
    client.close()
    proxied.world.advance(by: .seconds(60))
    #expect(client.ending != nil)
  }

  @Test
  func `a close of the client reaches the gateway as a fault says`() throws {
    let proxied = world()
    let client = proxied.connect()
    try proxied.fail(#"{"fault": "close_as", "side": "upstream", "code": 1011}"#)
    client.close()
    proxied.world.settle()
    #expect(proxied.site.sockets.first?.ending == .some(1011))
    let other = proxied.connect()
    try proxied.fail(#"{"fault": "close_as", "codes": [4000], "code": 4999}"#)
    try #require(proxied.site.sockets.last).act { $0.close(CloseReason(code: 4000, name: "")!) }
    proxied.world.settle()
    #expect(other.ending?.code == 4999)
  }

  @Test(arguments: ["client", "upstream"])
  func `a reset and a half-open connection affect the named side`(side: String) throws {
    let proxied = world()
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    let cut = try proxied.fail(#"{"fault": "half_open", "side": "\#(side)"}"#)
    client.say("lost")
    target.act { _ = $0.send(Frame(text: "lost")) }
    proxied.world.advance(by: .seconds(5))
    #expect(target.texts.isEmpty && client.texts.isEmpty)
    try proxied.mend(cut)
    client.say("here")
    target.act { _ = $0.send(Frame(text: "here")) }
    proxied.world.advance(by: .seconds(5))
    #expect(target.texts.last == "here" && client.texts.last == "here")
    try proxied.fail(#"{"fault": "reset", "side": "\#(side)"}"#)
    proxied.world.advance(by: .seconds(20))
    #expect(client.ending != nil && target.ending != nil && proxied.route.connectionCount == 0)
    #expect(client.wasReset == (side == "client"))
  }

  @Test
  func `reading stops for a fault and continues after it, whatever the other end has asked for`() throws {
    let proxied = world()
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    let fault = try proxied.fail(#"{"fault": "stop_reading"}"#)
    client.say("late")
    target.act { $0.pauseReading() }
    target.act { $0.goOnReading() }
    proxied.world.advance(by: .seconds(5))
    #expect(target.texts.isEmpty)
    target.act { _ = $0.send(Frame(text: "down")) }
    proxied.world.settle()
    #expect(client.texts == ["down"])
    try proxied.mend(fault)
    proxied.world.advance(by: .seconds(1))
    #expect(target.texts == ["late"])
  }

  @Test(arguments: ["client", "upstream"])
  func `pings of one side get no pongs during a fault, and get them again after it`(side: String) throws {
    let proxied = world()
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    let fault = try proxied.fail(#"{"fault": "no_pongs", "side": "\#(side)"}"#)
    let hasPong = { client.events.contains { $0.event == .pong } }
    client.ping()
    target.act { $0.ping([7]) }
    proxied.world.advance(by: .seconds(5))
    #expect(hasPong() == (side == "upstream"))
    #expect(target.pongs == (side == "upstream" ? [] : [[7]]))
    try proxied.mend(fault)
    client.ping()
    target.act { $0.ping([8]) }
    proxied.world.advance(by: .seconds(5))
    #expect(hasPong() && target.pongs.last == [8])
  }

  @Test
  func `HTTP is answered late, never, or with a status`() throws {
    let proxied = world()
    try proxied.fail(
      #"{"fault": "answer_with", "route": "POST /token", "status": 503, "retry_after_s": 3, "times": 1}"#)
    let answer = try #require(proxied.send("POST", "/token"))
    #expect(answer.status == 503 && answer.header("retry-after") == "3" && answer.header("postern-proxy") == "fault")
    #expect(proxied.site.requests.isEmpty)
    #expect(proxied.send("POST", "/token")?.status == 201)
    try proxied.fail(#"{"fault": "answer_late", "route": "/slow", "by_ms": 4000, "times": 1}"#)
    #expect(proxied.send("GET", "/slow", within: .seconds(3)) == nil)
    #expect(proxied.send("GET", "/slow")?.status == 201)
    try proxied.fail(#"{"fault": "answer_never", "times": 1}"#)
    #expect(proxied.send("GET", "/") == nil)
    #expect(proxied.send("GET", "/")?.status == 201)
    #expect(proxied.lines(.httpAnswered).compactMap(\.route).contains("POST /token"))
  }

  @Test
  func `every known fault accepts its example, and every other is refused with the one to use instead`() async throws {
    let known = try await world().askText("GET", "/faults/known")
    var taken: [String] = []
    for fault in Faults.all {
      let proxied = world()
      if known.firstRange(of: #""fault":"\#(fault.word)""#) != nil {
        let policy = try #require(proxied.control?.faults.policy)
        try proxied.fail(policy.example(of: fault))
        taken.append(fault.word)
        let client = proxied.connect()
        client.say(#"{"type":"refreshed"}"#)
        client.ping()
        proxied.send("GET", "/v1/calls")
        proxied.site.sockets.last?.act { _ = $0.send(Frame(text: #"{"type":"refreshed"}"#)) }
        proxied.site.sockets.last?.act { $0.close(CloseReason(code: 4000, name: "ended")!) }
        proxied.world.advance(by: .seconds(100))
      } else {
        let error = try #require(throws: GatewayError.self) { try proxied.fail(fault.example) }
        #expect(["not_ours", "needs_wire", "clock_is_real"].contains(error.name))
        #expect(error.message.firstRange(of: "; use ") != nil, "\(error.message)")
      }
    }
    #expect(taken.count == 21)
  }

  @Test(arguments: [
    (#"{"fault": "drop", "what": "reply:refresh"}"#, "needs_wire"),
    (#"{"fault": "replace", "what": "any:out", "error": "overloaded"}"#, "not_ours"),
    (#"{"fault": "reset", "who": {"users": ["ann"]}}"#, "needs_wire"),
    (#"{"fault": "reset", "when": {"after": "logged_in"}}"#, "needs_wire"),
    (#"{"fault": "abort", "for": ["refresh_timeout"]}"#, "needs_wire"),
    (#"{"fault": "gateway_clock", "ahead_s": 30}"#, "clock_is_real"),
    (#"{"fault": "rotate_keys"}"#, "not_ours"), (#"{"fault": "mint_same"}"#, "not_ours"),
    (#"{"fault": "drop", "what": "any:in", "side": "upstream"}"#, "invalid_parameter"),
    (#"{"fault": "drop", "what": "any:in", "match": {}}"#, "invalid_parameter"),
    (#"{"fault": "drop", "what": "any:in", "match": {"json": {"type": 1}}}"#, "invalid_parameter"),
    (#"{"fault": "drop", "what": "any:in", "match": {"json": {"/type": []}}}"#, "invalid_parameter"),
    (#"{"fault": "close_as", "code": 1011, "codes": ["4000-3999"]}"#, "invalid_parameter"),
    (#"{"fault": "close_as", "code": 1011, "codes": [65536]}"#, "invalid_parameter"),
    (#"{"fault": "close_as", "code": 1011, "codes": []}"#, "invalid_parameter"),
  ])
  func `an order that makes no sense at a proxy is refused by name`(order: String, name: String) throws {
    let error = try #require(throws: GatewayError.self) { try world().fail(order) }
    #expect(error.name == name, "\(error.message)")
  }

  @Test
  func `late messages take at most 16 MiB, and further ones pass at once with a note`() throws {
    var conditions = LinkConditions()
    (conditions.messageBytesMax, conditions.queueBytesMax, conditions.windowBytes) = (2 << 20, 64 << 20, 64 << 20)
    let proxied = world(conditions)
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    try proxied.fail(#"{"fault": "delay", "what": "any:in", "by_ms": 60000}"#)
    let text = String(repeating: "x", count: 1 << 20)
    for _ in 0..<20 { client.say(text) }
    proxied.world.advance(by: .seconds(5))
    #expect(target.texts.count == 4)
    let full = proxied.lines(.faulted).filter {
      if case .faulted(_, _, isFull: true) = $0.event { true } else { false }
    }
    #expect(full.count == 4)
    proxied.world.advance(by: .seconds(60))
    #expect(target.texts.count == 20)
    client.say("again")
    proxied.world.advance(by: .seconds(61))
    #expect(target.texts.last == "again" && proxied.lines(.faulted).count == 21)
  }

  @Test(arguments: [false, true])
  func `thousands of late messages wait for a slow reader and arrive in their order`(isClientSlow: Bool) throws {
    var conditions = LinkConditions(latency: .milliseconds(1) ... .milliseconds(1))
    conditions.queueBytesMax = 1 << 20
    conditions.windowBytes = 10_000
    let proxied = world(conditions)
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    try proxied.fail(#"{"fault": "delay", "what": "any:\#(isClientSlow ? "out" : "in")", "by_ms": 3000}"#)
    if isClientSlow { client.faults.isReading = false } else { target.act { $0.pauseReading() } }
    let filling = String(repeating: " ", count: 1_000)
    for number in 0..<3_000 {
      if isClientSlow {
        target.act { _ = $0.send(Frame(text: "\(number)\(filling)")) }
      } else {
        client.say("\(number)\(filling)")
      }
      if number % 10 == 0 { proxied.world.advance(by: .milliseconds(2)) }
    }
    proxied.world.advance(by: .seconds(60))
    let received = { isClientSlow ? client.texts : target.texts }
    #expect(received().isEmpty && client.ending == nil)
    if isClientSlow { client.faults.isReading = true } else { target.act { $0.goOnReading() } }
    proxied.world.advance(by: .seconds(60))
    #expect(received().map { $0.prefix { $0 != " " } } == (0..<3_000).map { "\($0)" })
    #expect(client.ending == nil)
  }

  @Test
  func `the proxy's end in the middle of faults closes both sides and leaves nothing behind`() throws {
    let proxied = world()
    let clients = (0..<5).map { _ in proxied.connect() }
    try proxied.fail(#"{"fault": "delay", "what": "any:in", "by_ms": 60000}"#)
    try proxied.fail(#"{"fault": "reorder", "what": "any:out"}"#)
    try proxied.fail(#"{"fault": "half_open", "who": {"connection": 6}}"#)
    let half = proxied.connect()
    for client in clients { client.say("late") }
    for socket in proxied.site.sockets { socket.act { _ = $0.send(Frame(text: "held")) } }
    try proxied.fail(#"{"fault": "stop_reading", "side": "upstream"}"#)
    proxied.world.settle()
    proxied.onLoop { proxied.route.end() }
    proxied.world.advance(by: .seconds(30))
    #expect((clients + [half]).allSatisfy { $0.ending?.code == 1001 })
    #expect(proxied.site.sockets.allSatisfy { $0.ending == .some(1001) })
    #expect(proxied.route.connectionCount == 0)
    proxied.world.advance(by: .seconds(60))
    #expect(proxied.site.sockets.allSatisfy { $0.texts.isEmpty })
  }

  @Test
  func `a fault that is ordered and mended while a connection closes changes nothing`() throws {
    let proxied = world()
    let client = proxied.connect()
    let target = try #require(proxied.site.sockets.first)
    client.faults.answersClose = false
    target.act { $0.close(.goingAway) }
    proxied.world.advance(by: .milliseconds(200))
    for fault in ["half_open", "stop_reading", "no_pongs", "unfinished_close", "reset"] {
      for side in ["client", "upstream"] {
        let fault = try proxied.fail(#"{"fault": "\#(fault)", "side": "\#(side)"}"#)
        proxied.world.advance(by: .milliseconds(10))
        try proxied.mend(fault)
      }
    }
    proxied.world.advance(by: .seconds(60))
    #expect(proxied.route.connectionCount == 0 && proxied.connect().isOpen)
  }
}
