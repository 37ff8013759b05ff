import GatewayCore
import GatewayProxy
import GatewayRuntime
import Synchronization
import Testing

struct TunnelTests {
  private static let target = DialTarget(host: "realtime.example", port: 443, isTLS: true)
  private static let rules = TunnelRules(to: target)
  private static let tunnel = Tunnel(host: "realtime.example", port: 443, isTLS: true)

  private static func connect(
    _ authority: String, _ fields: [HTTPField] = [], from peer: String = "127.0.0.1"
  ) -> HTTPRequest {
    var request = HTTPRequest(method: "CONNECT", path: authority, headers: fields)
    request.peer = peer
    return request
  }

  private static func refused(_ request: HTTPRequest, by rules: TunnelRules = rules) -> (status: Int, text: String)? {
    guard case .refuse(let response) = rules.answer(request) else { return nil }
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  @Test(arguments: ["realtime.example:443", "REALTIME.example:443"])
  func `a tunnel to the target opens`(_ authority: String) {
    guard case .open(let tunnel) = Self.rules.answer(Self.connect(authority)) else {
      Issue.record("\(authority) is refused")
      return
    }
    #expect(tunnel == Self.tunnel)
  }

  @Test(arguments: [
    "realtime.example:80", "bank.example:443", "a.realtime.example:443", "realtime.example.:443", "127.0.0.1:8080",
    "[::1]:443", "localhost:443",
  ])
  func `a tunnel to any other host or port is refused with the named one`(_ authority: String) throws {
    let refusal = try #require(Self.refused(Self.connect(authority)))
    #expect(refusal.status == 403 && refusal.text.contains("CONNECT leads to realtime.example:443 only"))
  }

  @Test
  func `each refusal is reported with the host that was asked for, and nothing of a line that is no host`() {
    let reported = Mutex<[String]>([])
    let rules = TunnelRules(to: Self.target) { refusal in reported.withLock { $0.append(refusal.text) } }
    let long = String(repeating: "a", count: 300)
    for authority in ["bank.example:443", "ann:pw@bank.example:443", "\(long).example:443", "realtime.example:443"] {
      _ = rules.answer(Self.connect(authority))
    }
    _ = rules.refusal(of: HTTPRequest(method: "GET", path: "/"), in: Self.tunnel, serverName: "other.example")
    let texts = reported.withLock { $0 }
    #expect(texts.count == 4 && texts[0].hasPrefix("CONNECT bank.example:443: CONNECT leads to "))
    #expect(!texts[1].contains("pw") && !texts[2].contains(long) && texts[3].contains("another host than CONNECT"))
  }

  @Test(arguments: [
    "realtime.example", "ann@realtime.example:443", "ann:pw@realtime.example:443", "/", "", "*", ":443",
    "http://realtime.example/", "realtime.example:99999", "realtime.example:443/x", "::1:443", "[::1", "é:443",
    "realtime.example:18446744073709551616",
  ])
  func `a CONNECT without a plain host and port is malformed`(_ authority: String) throws {
    let refusal = try #require(Self.refused(Self.connect(authority)))
    #expect(refusal.status == 400 && !refusal.text.contains("pw"))
  }

  @Test(arguments: [HTTPField("content-length", "5"), HTTPField("transfer-encoding", "chunked")])
  func `a CONNECT with a body is refused`(_ field: HTTPField) throws {
    #expect(try #require(Self.refused(Self.connect("realtime.example:443", [field]))).status == 400)
  }

  @Test
  func `an IPv6 target is found in each of its spellings`() {
    let rules = TunnelRules(to: DialTarget(host: "::1", port: 443, isTLS: true))
    for authority in ["[::1]:443", "[0:0:0:0:0:0:0:1]:443"] {
      guard case .open = rules.answer(Self.connect(authority)) else {
        Issue.record("\(authority) is refused")
        continue
      }
    }
  }

  @Test
  func `a client outside of the networks opens no tunnel`() throws {
    let network = try #require(IPNetwork("10.0.0.0/8"))
    let rules = TunnelRules(to: Self.target, from: [network])
    #expect(Self.refused(Self.connect("realtime.example:443", from: "192.0.2.1"), by: rules)?.status == 403)
    #expect(Self.refused(Self.connect("realtime.example:443", from: "10.0.0.1"), by: rules) == nil)
  }

  @Test
  func `a port without a target opens no tunnel`() throws {
    let refusal = try #require(Self.refused(Self.connect("realtime.example:443"), by: TunnelRules(to: nil)))
    #expect(refusal.status == 403 && refusal.text.contains("no target"))
  }

  @Test(
    arguments: [
      ("realtime.example", nil, nil), ("realtime.example:443", "REALTIME.example", nil),
      ("realtime.example:80", nil, 421), ("bank.example", nil, 421), ("bank.example", "realtime.example", 421),
      ("realtime.example", "bank.example", 421),
    ] as [(String, String?, Int?)])
  func `a request in a tunnel is for its host only`(_ host: String, _ serverName: String?, _ status: Int?) {
    let request = HTTPRequest(method: "GET", path: "/", headers: [HTTPField("host", host)])
    #expect(Self.rules.refusal(of: request, in: Self.tunnel, serverName: serverName)?.status == status)
  }

  @Test
  func `no tunnel opens inside of a tunnel`() {
    let request = Self.connect("realtime.example:443", [HTTPField("host", "realtime.example:443")])
    #expect(Self.rules.refusal(of: request, in: Self.tunnel, serverName: nil)?.status == 400)
  }
}
