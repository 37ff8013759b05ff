import GatewayCore
import GatewayRuntime
import GatewayServer
import Glibc
import TestTraits
import Testing

/// Each test runs in its own process, in which no other test opens descriptors.
struct DescriptorTests {
  private static var softLimit: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  @Test
  func `the table of descriptors is no longer than the connections need, and the process's limit is as before`() async {
    await #expect(processExitsWith: .success) {
      let before = DescriptorTests.softLimit
      try #require(before >= 600, "the soft limit is too low for this test: ulimit -n")
      let open = openDescriptors()
      try await TestServer.with(TestSite(), { $0.limits.connectionsMax = 10 }) { server in
        #expect(DescriptorTests.softLimit == before)
        #expect((open + 10 + 256...open + 10 + 256 + 30).contains(server.loops[0].descriptorsMax))
        let client = try RawClient.open(port: server.port)
        try client.sendText("x")
        #expect(try client.readFrame().text == "x")
      }
      #expect(DescriptorTests.softLimit == before)
      let unlimited = SocketLoop(index: 0, seed: 1)
      try unlimited.start()
      #expect(unlimited.descriptorsMax == before)
      unlimited.stop()
    }
  }

  /// Returns the number of descriptors for which the kernel has room; `FDSize` of proc(5).
  private static func placesOfSystem() throws -> Int {
    let file = try #require(fopen("/proc/self/status", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, CInt(line.count), file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split(whereSeparator: \.isWhitespace)
      if words.count == 2, words[0] == "FDSize:" { return try #require(Int(words[1])) }
    }
    return 0
  }

  @Test
  func `a started loop delays nobody while the kernel's table of descriptors grows`() async {
    await #expect(processExitsWith: .success) {
      let before = try DescriptorTests.placesOfSystem()
      try #require(DescriptorTests.softLimit > before, "the soft limit is too low for this test: ulimit -n")
      // More than there are places, whatever limit the process inherited.
      try await TestServer.with(TestSite(), { $0.limits.connectionsMax = before }) { server in
        let (wanted, places) = (server.loops[0].descriptorsMax, try DescriptorTests.placesOfSystem())
        #expect(wanted > before && places >= wanted)
      }
    }
  }

  @Test
  func `a connection whose descriptor is above the table's end gets 503`() async {
    await #expect(processExitsWith: .success) { try await DescriptorTests.askAbove(nil) }
  }

  @Test(.long)
  func `a connection whose descriptor is above the table's end gets 503 over TLS too`() async {
    await #expect(processExitsWith: .success) {
      let certificate = try TestCertificate()
      try await DescriptorTests.askAbove(certificate.files)
    }
  }

  @Test
  func `the last descriptors are reserved for the control port, and clients get 503 before they run out`() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = rlim_t(openDescriptors() + 140)
      try #require(limit.rlim_cur <= limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let refusals = TransportRefusals()
      try await TestServer.with(TestSite(), { $0.refusals = refusals }) { server in
        var settings = Listener.Settings(host: "127.0.0.1", port: 0)
        settings.takesLastDescriptors = true
        let control = try await Listener.start(settings, serving: TestSite(), on: server.loops)
        // Both ends of each belong to this process.
        var clients: [RawClient] = []
        var status = 200
        while status == 200, clients.count < 200 {
          let client = try RawClient(port: server.port)
          try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n")
          status = try client.readAnswer().status == 100 ? 200 : 503
          clients.append(client)
        }
        #expect(status == 503)
        let asking = try RawClient(port: control.port)
        try asking.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try asking.readAnswer().status == 200)
        var page = PrometheusText()
        refusals.write(to: &page)
        #expect(page.text.contains("{reason=\"descriptor_limit\"} 1\n"))
        await control.stopAccepting()
      }
    }
  }

  private static func askAbove(_ files: TLSFiles?) async throws {
    let refusals = TransportRefusals()
    try await TestServer.with(
      TestSite(),
      {
        $0.limits.connectionsMax = 4
        $0.tls = files
        $0.refusals = refusals
      }
    ) { server in
      func ask() throws -> String {
        if files != nil { return TestCertificate.request(port: server.port, path: "/x") }
        let client = try RawClient(port: server.port)
        try client.send("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return String(decoding: try client.readToEnd(), as: UTF8.self)
      }
      #expect(try ask().contains("200 OK"))
      var held: [CInt] = []
      repeat {
        let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        held.append(descriptor)
      } while held[held.count - 1] < server.loops[0].descriptorsMax
      // More of them than there are spare numbers, one after another. The server closes a number after its client has
      // seen the end: one below the table's length may become free meanwhile, and its client is then served.
      var refused = 0
      for _ in 0..<12 {
        let answer = try ask()
        if answer.contains("200 OK") { continue }
        #expect(answer.contains("503 Service Unavailable") && answer.contains("retry-after: 1"), "\(answer)")
        refused += 1
      }
      #expect(refused > 0)
      held.forEach { close($0) }
      #expect(try ask().contains("200 OK"))
      var page = PrometheusText()
      refusals.write(to: &page)
      #expect(page.text.contains("{reason=\"descriptor_limit\"} \(refused)\n"))
    }
  }
}
