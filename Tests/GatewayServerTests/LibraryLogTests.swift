import GatewayCore
import GatewayRuntime
import GatewayServer
import Glibc
import Testing

/// Each test runs in its own process: the library has one log, and descriptors belong to the process.
struct LibraryLogTests {
  @Test
  func `the library logs nothing of connections that come, speak and go`() async {
    await #expect(processExitsWith: .success) {
      let lines = LibraryLogTests.listen()
      try await TestServer.with(loops: 2) { server in
        for _ in 0..<20 { try LibraryLogTests.echo(server.port) }
      }
      #expect(lines.get() == [])
    }
  }

  @Test
  func `the library logs that a connection cannot be handed over`() async {
    await #expect(processExitsWith: .success) {
      let lines = LibraryLogTests.listen()
      var site = TestSite()
      site.onAdmit = { request, _ in
        // The server's end of the connection, just before the library gets it.
        if let port = UInt16(request.path.dropFirst()), let descriptor = LibraryLogTests.descriptor(connectedTo: port) {
          close(descriptor)
        }
        return .accept(EchoHandler(), subprotocol: nil)
      }
      try await TestServer.with(site) { server in
        let client = try RawClient(port: server.port)
        let port = try #require(LibraryLogTests.port(of: client.descriptor, getsockname))
        try client.send(RawClient.upgrade("/\(port)"))
        #expect(try client.readToEnd().isEmpty)
        // The client sees the end before the library notices that the descriptor is invalid.
        let deadline = time(nil) + 120
        while lines.get().isEmpty, time(nil) < deadline { sched_yield() }
        #expect(lines.get().contains { $0.contains("nonblocking") }, "\(lines.get())")
        try LibraryLogTests.echo(server.port)
        #expect(lines.get().count == 1)
      }
    }
  }

  /// Returns the lines of the log from now on.
  private static func listen() -> Box<[String]> {
    let lines = Box<[String]>([])
    LibraryLog.send { line in lines.update { $0.append(line) } }
    return lines
  }

  private static func echo(_ port: Int) throws {
    let client = try RawClient.open(port: port)
    try client.sendText("x")
    #expect(try client.readFrame().text == "x")
  }

  /// Returns this process's end of the connection whose other end has that port.
  private static func descriptor(connectedTo port: UInt16) -> CInt? {
    (0..<1024).first { self.port(of: $0, getpeername) == port }
  }

  private typealias NameOfEnd = (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt

  private static func port(of descriptor: CInt, _ name: NameOfEnd) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
    }
    return result == 0 && address.sin_family == sa_family_t(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
  }
}
