import GatewayCore
import GatewayRuntime
import GatewayServer
import Glibc
import TestTraits
import Testing

/// In a process of its own, since it opens more than a thousand descriptors.
struct LibraryContextTests {
  @Test(.long, arguments: [false, true])
  func `WebSockets whose descriptors lie in different ranges carry messages, and all end with their listener`(
    isTLS: Bool
  ) async {
    await #expect(processExitsWith: .success) { [isTLS] in
      let certificate = isTLS ? try TestCertificate() : nil
      let sockets = SocketEvents()
      try await TestServer.with(TestSite.recording(sockets), { $0.tls = certificate?.files }) { server in
        try #require(server.loops[0].descriptorsMax > 3 * 1024, "the soft limit is too low for this test: ulimit -n")
        let target = DialTarget(host: "127.0.0.1", port: server.port, isTLS: isTLS, allowsUntrustedCertificate: true)
        let (loop, clients) = (server.loops[0], SocketEvents())
        let text = String(repeating: "0123456789", count: 400)
        var held: [CInt] = []
        for end in stride(from: 0, through: server.loops[0].descriptorsMax * 5 / 8, by: 600) {
          while held.last ?? 0 < end {
            let next = dup(STDERR_FILENO)
            try #require(next >= 0)
            held.append(next)
          }
          await loop.perform {
            SocketDialer(on: loop).dial(
              target, upgrade: HTTPRequest(method: "GET", path: "/"), subprotocols: [],
              handler: RecordingHandler(clients, onOpen: { _ = $0.send(Frame(text: text)) }))
          }
          #expect(await clients.next() == .opened)
          #expect(await sockets.next() == .opened)
          #expect(await sockets.next() == .received(Frame(text: text)))
        }
        held.forEach { close($0) }
        await server.listener.end()
        #expect(server.listener.connections == 0)
      }
    }
  }
}
