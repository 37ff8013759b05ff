import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct PinnedTargetTests {
  @Test
  func `pinned targets are dialled at their address under their own name, without a name service`() async throws {
    let hosts = Box<[String?]>([])
    var site = TestSite()
    site.onAdmit = { request, _ in
      hosts.update { $0.append(request.header("host")) }
      return .accept(EchoHandler(), subprotocol: nil)
    }
    try await TestServer.with(site) { server in
      // A name that never exists (RFC 6761 section 6.4).
      var target = DialTarget(host: "gateway.invalid", port: server.port)
      let fetcher = Fetcher(loop: server.loops[0])
      let unknown = await fetcher.fetch(HTTPRequest(method: "GET", path: "/"), from: target)
      #expect(throws: DialFailure.self) { try unknown.get() }
      target.addresses = ["127.0.0.1"]
      let known = await fetcher.fetch(HTTPRequest(method: "GET", path: "/"), from: target)
      #expect(throws: Never.self) { try known.get() }
      let events = SocketEvents()
      let (loop, dialled) = (server.loops[0], target)
      await loop.perform {
        SocketDialer(on: loop).dial(
          dialled, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
          handler: RecordingHandler(events, onOpen: { _ = $0.send(Frame(text: "x")) }))
      }
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(Frame(text: "x")))
      #expect(hosts.get() == ["gateway.invalid:\(server.port)"])
    }
  }

  @Test
  func `a pin must be an address, which is not looked up`() async throws {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    var target = DialTarget(host: "127.0.0.1", port: 1)
    target.addresses = ["localhost"]
    let result = await Fetcher(loop: loop).fetch(HTTPRequest(method: "GET", path: "/"), from: target)
    guard case .failure(.unreachable(let reason)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(reason.hasPrefix("127.0.0.1: "))
  }

  @Test
  func `an address is its own, and an unknown name is an error in the system's words`() throws {
    #expect(try NameService.addresses(of: "127.0.0.1") == ["127.0.0.1"])
    #expect(try NameService.addresses(of: "::1") == ["::1"])
    #expect(throws: ServerError.self) { try NameService.addresses(of: "gateway.invalid") }
  }
}
