import GatewayCore
import GatewayRuntime
import GatewayServer
import TestTraits
import Testing

struct TLSTests {
  @Test
  func `HTTP is served over TLS to an independent client, and HTTP 2 is not negotiated`() async throws {
    let certificate = try TestCertificate()
    try await TestServer.with(TestSite(), { $0.tls = certificate.files }) { server in
      let text = TestCertificate.request(port: server.port, path: "/x", arguments: "-alpn h2,http/1.1")
      #expect(text.contains("HTTP/1.1 200 OK"))
      #expect(text.contains("GET /x"))
      #expect(text.contains("ALPN protocol: http/1.1"))
    }
  }

  @Test
  func `a WebSocket over TLS carries messages in both directions, also large ones`() async throws {
    let certificate = try TestCertificate()
    try await TestServer.with(TestSite(), { $0.tls = certificate.files }) { server in
      let events = SocketEvents()
      let loop = server.loops[0]
      let target = DialTarget(host: "127.0.0.1", port: server.port, isTLS: true, allowsUntrustedCertificate: true)
      let large = String(repeating: "0123456789", count: 6000)
      await loop.perform {
        SocketDialer(on: loop).dial(
          target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
          handler: RecordingHandler(
            events,
            onOpen: { socket in
              _ = socket.send(Frame(text: large))
              _ = socket.send(Frame(text: "small"))
            }))
      }
      #expect(await events.next() == .opened)
      #expect(await events.next() == .received(Frame(text: large)))
      #expect(await events.next() == .received(Frame(text: "small")))
    }
  }

  @Test
  func `a fetch over TLS succeeds if the certificate is accepted, and otherwise reports why it is not`() async throws {
    let certificate = try TestCertificate()
    try await TestServer.with(TestSite(), { $0.tls = certificate.files }) { server in
      let fetcher = Fetcher(loop: server.loops[0])
      var target = DialTarget(host: "127.0.0.1", port: server.port, isTLS: true, allowsUntrustedCertificate: true)
      let request = HTTPRequest(method: "GET", path: "/y")
      let good = await fetcher.fetch(request, from: target)
      let answer = try good.get()
      #expect(answer.body == Array("GET /y".utf8))
      target.allowsUntrustedCertificate = false
      let bad = await fetcher.fetch(request, from: target)
      #expect(bad == .failure(.insecure(.untrusted)))
    }
  }

  @Test
  func `a dial to an untrusted certificate is refused`() async throws {
    let certificate = try TestCertificate()
    try await TestServer.with(TestSite(), { $0.tls = certificate.files }) { server in
      let events = SocketEvents()
      let loop = server.loops[0]
      let target = DialTarget(host: "127.0.0.1", port: server.port, isTLS: true)
      await loop.perform {
        SocketDialer(on: loop).dial(
          target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [], handler: RecordingHandler(events))
      }
      #expect(await events.next() == .refused(.insecure(.untrusted)))
    }
  }

  @Test(.long)
  func `a reload presents the new certificate, keeps old connections, and keeps the old one if the new is unusable`()
    async throws
  {
    let certificate = try TestCertificate(commonName: "first")
    try await TestServer.with(TestSite(), loops: 2, { $0.tls = certificate.files }) { server in
      func subject() -> String {
        let text = TestCertificate.request(port: server.port, path: "/x")
        return text.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init) ?? text
      }
      #expect(subject().hasSuffix("first"))
      let events = SocketEvents()
      let loop = server.loops[0]
      let socket = Box<(any Socket)?>(nil)
      let target = DialTarget(host: "127.0.0.1", port: server.port, isTLS: true, allowsUntrustedCertificate: true)
      await loop.perform {
        SocketDialer(on: loop).dial(
          target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
          handler: RecordingHandler(events, onOpen: { socket.set($0) }))
      }
      let first = await events.next()
      try #require(first == .opened, "\(String(describing: first))")

      certificate.make(commonName: "second")
      try await server.listener.reloadCertificate()
      for _ in 0..<4 { #expect(subject().hasSuffix("second")) }

      certificate.breakKey()
      await #expect(throws: ServerError.self) { try await server.listener.reloadCertificate() }
      #expect(subject().hasSuffix("second"))
      certificate.removeCertificate()
      await #expect(throws: ServerError.self) { try await server.listener.reloadCertificate() }
      #expect(subject().hasSuffix("second"))

      await loop.perform { _ = socket.get()?.send(Frame(text: "still here")) }
      #expect(await events.next() == .received(Frame(text: "still here")))
    }
  }

  @Test
  func `a listener does not start with a certificate that is missing or does not match its key`() async throws {
    let certificate = try TestCertificate()
    certificate.breakKey()
    await #expect(throws: ServerError.self) {
      try await TestServer.with(TestSite(), { $0.tls = certificate.files }) { _ in }
    }
  }

  @Test
  func `plain text to a TLS port ends the connection and nothing else`() async throws {
    let certificate = try TestCertificate()
    try await TestServer.with(TestSite(), { $0.tls = certificate.files }) { server in
      let client = try RawClient(port: server.port)
      try client.send("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
      _ = try client.readToEnd()
      let text = TestCertificate.request(port: server.port, path: "/x")
      #expect(text.contains("HTTP/1.1 200 OK"))
    }
  }
}
