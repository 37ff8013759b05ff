import GatewayCore
import GatewayServer
import Testing

struct UploadTests {
  private static let uploadBytesMax = 24 << 20

  /// A site that answers with the length of the body.
  private var site: TestSite {
    var site = TestSite()
    site.onRespond = { request, _ in
      HTTPResponse(status: 200, contentType: "text/plain", text: "\(request.body.count)")
    }
    site.uploads = { $0.path == "/photos" ? Self.uploadBytesMax : nil }
    return site
  }

  private static func head(_ path: String, _ length: Int) -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test
  func `a large body is accepted where the site allows it, one after the other, and nowhere else`() async throws {
    try await TestServer.with(site) { server in
      let body = [UInt8](repeating: 7, count: 3 << 20)
      let client = try RawClient(port: server.port)
      for _ in 0..<30 {
        try client.send(Self.head("/photos", body.count))
        try client.send(body)
        let answer = try client.readAnswer()
        #expect(answer.status == 200 && answer.body == "\(body.count)")
      }
      let other = try RawClient(port: server.port)
      try other.send(Self.head("/notes", body.count))
      #expect(try other.readAnswer().status == 413)
      let most = try RawClient(port: server.port)
      try most.send(Self.head("/photos", Self.uploadBytesMax + 1))
      #expect(try most.readAnswer().status == 413)
    }
  }

  @Test
  func `a body in chunks is an upload too, up to its limit`() async throws {
    try await TestServer.with(site) { server in
      let client = try RawClient(port: server.port)
      try client.send("POST /photos HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n")
      try client.send([UInt8](repeating: 7, count: 0x20000))
      try client.send("\r\n0\r\n\r\n")
      let answer = try client.readAnswer()
      #expect(answer.status == 200 && answer.body == "\(0x20000)")
    }
  }

  @Test
  func `uploads above the common limit are told to retry, and each that ends makes room`() async throws {
    try await TestServer.with(site) { server in
      let length = Self.uploadBytesMax
      var waiting: [RawClient] = []
      for _ in 0..<2 {
        let client = try RawClient(port: server.port)
        try client.send(Self.head("/photos", length))
        try client.send("x")
        #expect(client.isSilent(for: 100))
        waiting.append(client)
      }
      let late = try RawClient(port: server.port)
      try late.send(Self.head("/photos", length))
      #expect(try late.readAnswer().status == 503)
      waiting[0].reset()
      let body = [UInt8](repeating: 7, count: length)
      var status = 503
      // The server notices the reset a little later.
      for _ in 0..<1_000 where status == 503 {
        let next = try RawClient(port: server.port)
        try next.send(Self.head("/photos", length))
        if next.isSilent(for: 20) { try next.send(body) }
        status = try next.readAnswer().status
      }
      #expect(status == 200)
      waiting[1].reset()
    }
  }
}
