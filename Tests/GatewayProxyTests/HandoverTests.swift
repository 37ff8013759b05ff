import GatewayCore
import GatewayProxy
import GatewayRuntime
import GatewaySimulator
import GatewayWires
import Testing

/// A gateway that sends its clients to another address: `{"type":"move","to":"ws://other:8080/ws"}`.
struct HandoverTests {
  private static func world(_ encoding: String = "json", split: String = "", hasOther: Bool = true) throws -> ProxyWorld
  {
    let text = """
      { "wire": 1, "name": "moving", "connect": { "path": "/ws" }, "frames": { "encoding": "\(encoding)" \(split) },
        "at_open": { "is": "logged_in" },
        "hear": [{ "when": { "json": { "/type": "move" } }, "is": "handover", "take": { "next_url": "/to" }, "then": "renew" }] }
      """
    let wire = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
    return ProxyWorld(isControlled: true, wire: ProxyWire(try ServedDialect(reading: wire)), hasOther: hasOther)
  }

  private func upgrade(_ path: String, mount: String = "", isSecure: Bool = false) -> HTTPRequest {
    var upgrade = HTTPRequest(method: "GET", path: path, headers: [HTTPField("host", "proxy:8080")])
    (upgrade.mount, upgrade.isSecure) = (mount, isSecure)
    return upgrade
  }

  /// Returns what the client hears if the gateway says this.
  private func heard(_ frame: Frame, _ proxied: ProxyWorld, _ upgrade: HTTPRequest) throws -> Frame {
    let client = proxied.connect(upgrade)
    let target = try #require(proxied.site.sockets.last)
    target.act { _ = $0.send(frame) }
    proxied.world.advance(by: .seconds(1))
    return try #require(
      client.events.compactMap { if case .message(let frame) = $0.event { frame } else { nil } }.last)
  }

  private func told(_ address: String, _ proxied: ProxyWorld, _ upgrade: HTTPRequest) throws -> String {
    let text = #"{"n": 1, "type":"move", "to" :"\#(address)","last":true}"#
    let heard = try heard(Frame(text: text), proxied, upgrade).text
    let start = try #require(heard.firstRange(of: #""to" :""#))
    #expect(heard.hasPrefix(#"{"n": 1, "type":"move", "to" :""#) && heard.hasSuffix(#"","last":true}"#))
    return String(heard[start.upperBound...].prefix { $0 != "\"" })
  }

  @Test(arguments: [
    ("ws://other:8080/ws?resume=1%2F2", "ws://proxy:8080/postern-target-2/ws?resume=1%2F2"),
    ("http://other:8080", "http://proxy:8080/postern-target-2"), ("ws://target/ws", "ws://proxy:8080/ws"),
    ("ws://TARGET:80/ws?a", "ws://proxy:8080/ws?a"), ("target", "proxy:8080"), ("target:80", "proxy:8080"),
    ("/ws?resume=1", "/ws?resume=1"),
  ])
  func `an address of a named target becomes the proxy's own, and the journal tells it`(address: String, at: String)
    throws
  {
    let proxied = try Self.world()
    #expect(try told(address, proxied, upgrade("/ws")) == at)
    let to = address.contains("other") ? "other:8080" : "target:80"
    #expect(
      proxied.lines.last
        == #"{"kind":"handed_over","connection":"conn_0_1","dialect":"moving","to":"\#(to)","then":"renew"}"#)
  }

  @Test(arguments: [
    ("ws://elsewhere:8080/ws", "host_not_named"), ("wss://other:8080/ws", "host_not_named"),
    ("ws://other/ws", "host_not_named"), ("ws://other:8081/ws", "host_not_named"),
    ("ws://x@other:8080/ws", "no_address"),
    ("ftp://other:8080/ws", "no_address"), ("other:8080", "no_path"), ("", "no_address"),
    ("//other:8080/ws", "no_address"),
    ("ws://", "no_address"), ("elsewhere", "host_not_named"), ("a b", "no_address"),
  ])
  func `any other address is left as it is, with the reason in the journal`(address: String, reason: String) throws {
    let proxied = try Self.world()
    #expect(try told(address, proxied, upgrade("/ws")) == address)
    #expect(
      proxied.lines.last
        == #"{"kind":"handed_over","connection":"conn_0_1","dialect":"moving","failure":"\#(reason)","then":"renew"}"#)
  }

  @Test
  func `an address has the path of the client's space and the scheme of the client's connection`() throws {
    let proxied = try Self.world()
    let client = upgrade("/ws", mount: "/s/t17", isSecure: true)
    #expect(try told("ws://other:8080/ws", proxied, client) == "wss://proxy:8080/s/t17/postern-target-2/ws")
    #expect(try told("http://target/ws", proxied, client) == "https://proxy:8080/s/t17/ws")
    #expect(try told("/ws", proxied, client) == "/s/t17/ws")
    #expect(try told("target", proxied, client) == "target")
  }

  @Test
  func `a client that follows the address reaches the other target, which may send it back`() throws {
    let proxied = try Self.world()
    var second = upgrade("/postern-target-2/ws")
    second.query = [HTTPField("resume", "1")]
    second.rawTarget = "/postern-target-2/ws?resume=1"
    let client = proxied.connect(second)
    let asked = try #require(proxied.otherSite.upgrades.last)
    #expect(asked.path == "/ws" && proxied.site.upgrades.isEmpty)
    let target = try #require(proxied.otherSite.sockets.last)
    client.say("hello")
    proxied.world.advance(by: .seconds(1))
    #expect(target.texts == ["hello"])
    target.act { _ = $0.send(Frame(text: #"{"type":"move","to":"ws://target/ws"}"#)) }
    target.act { _ = $0.send(Frame(text: #"{"type":"move","to":"/ws"}"#)) }
    proxied.world.advance(by: .seconds(1))
    #expect(
      client.texts.suffix(2) == [
        #"{"type":"move","to":"ws://proxy:8080/ws"}"#, #"{"type":"move","to":"/postern-target-2/ws"}"#,
      ])
  }

  @Test(arguments: [
    "/postern-target-1/ws", "/postern-target-3/ws", "/postern-target-02/ws", "/postern-target-99999999999999999999/ws",
    "/postern-target-/ws", "/postern-target-2x",
  ])
  func `a path that names no other target is the first target's own`(path: String) throws {
    let proxied = try Self.world()
    _ = proxied.connect(upgrade(path))
    #expect(proxied.site.upgrades.map(\.path) == [path] && proxied.otherSite.upgrades.isEmpty)
    let alone = try Self.world(hasOther: false)
    _ = alone.connect(upgrade("/postern-target-2/ws"))
    #expect(alone.site.upgrades.map(\.path) == ["/postern-target-2/ws"])
  }

  @Test
  func `each of several messages of a frame is changed, and messages of MessagePack are changed in place`() throws {
    let lines = try Self.world(split: #", "split": "\n""#)
    let one = #"{"type":"move","to":"ws://other:8080/1"}"#
    let frame = Frame(text: [one, #"{"x":1}"#, #"{"type":"move","to":"ws://no:1/"}"#, one].joined(separator: "\n"))
    let other = #"{"type":"move","to":"ws://proxy:8080/postern-target-2/1"}"#
    #expect(
      try heard(frame, lines, upgrade("/ws")).text
        == [other, #"{"x":1}"#, #"{"type":"move","to":"ws://no:1/"}"#, other].joined(separator: "\n"))
    let packed = try Self.world("msgpack")
    let head: [UInt8] =
      [0xde, 0, 3, 0xa1, 0x6e, 0xcd, 0, 1, 0xa4] + Array("type".utf8) + [0xd9, 4] + Array("move".utf8) + [0xa2]
    let message = head + Array("to".utf8) + [0xb0] + Array("ws://other:8080/".utf8)
    let wanted = "ws://proxy:8080/postern-target-2/"
    #expect(
      try heard(Frame(.binary, message), packed, upgrade("/ws"))
        == Frame(.binary, head + Array("to".utf8) + [0xd9, UInt8(wanted.utf8.count)] + Array(wanted.utf8)))
  }

  @Test(arguments: [
    (#""take": { "next_url": "/to" }"#, #""take": { "x": "/to" }"#, "a handover names the address"),
    (#""is": "handover""#, #""is": "error""#, "next_url is taken by a rule that"),
    (#""take""#, #""unpack": "/to", "take""#, "changed in place"),
  ])
  func `a wrong rule of a hand-over is named, and no gateway of ours plays a right one`(
    right: String, wrong: String, reason: String
  ) throws {
    let text = """
      { "wire": 1, "name": "m", "connect": { "path": "/{{token}}" }, "at_open": { "is": "logged_in" },
        "hear": [{ "when": { "json": { "/type": "move" } }, "is": "handover", "take": { "next_url": "/to" } }] }
      """
    let error = #expect(throws: DescriptionError.self) {
      try WireDescription(try DescriptionFile.parse(Array(text.replacing(right, with: wrong).utf8), file: "w.json"))
    }
    #expect(error.map { "\($0)".contains(reason) } == true, "\(String(describing: error))")
    let wire = try WireDescription(try DescriptionFile.parse(Array(text.utf8), file: "w.json"))
    #expect(wire.proxyOnly.map { "\($0)".contains("/hear/0: a handover is followed by real clients only") } == true)
    #expect(wire.unplayable == wire.proxyOnly)
    #expect(throws: DescriptionError.self) { try ServedDialect(wire) }
  }
}
