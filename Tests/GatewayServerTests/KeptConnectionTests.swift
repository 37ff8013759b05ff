import GatewayCore
import GatewayRuntime
import GatewayServer
import Testing

struct KeptConnectionTests {
  private func fetch(_ methods: [String], from server: KeepingServer, keeps: Bool = true) async throws
    -> [Result<HTTPResponse, DialFailure>]
  {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let fetcher = Fetcher(loop: loop)
    var target = DialTarget(host: "127.0.0.1", port: server.port)
    target.keepsConnections = keeps
    // On the loop, one after another: a connection is kept only for a while, and other tests use the processors.
    return await Task(executorPreference: loop.events) { [target] in
      var results: [Result<HTTPResponse, DialFailure>] = []
      for method in methods {
        results.append(await fetcher.fetch(HTTPRequest(method: method, path: "/t"), from: target))
      }
      return results
    }.value
  }

  @Test
  func `one kept connection carries many requests, and without keeping each request has its own`() async throws {
    let keeping = try KeepingServer(answering: 5)
    let results = try await fetch(["POST", "POST", "GET", "POST"], from: keeping)
    #expect(results.allSatisfy { (try? $0.get().status) == 200 })
    #expect(keeping.seen.connections == 1 && keeping.seen.requests.count == 4)
    let other = try KeepingServer(answering: 5)
    _ = try await fetch(["POST", "POST"], from: other, keeps: false)
    #expect(other.seen.connections == 2)
  }

  @Test
  func `a POST on a connection that then ended is not sent twice, since the server may have run it`()
    async throws
  {
    let server = try KeepingServer(answering: 1)
    let results = try await fetch(["POST", "POST", "POST"], from: server)
    #expect((try? results[0].get().status) == 200)
    guard case .failure(.unreachable(let reason)) = results[1] else {
      Issue.record("\(results[1])")
      return
    }
    #expect(reason.contains("not sent twice"))
    // The next request has a new connection, and nothing was kept of the one that ended.
    #expect((try? results[2].get().status) == 200)
    #expect(server.seen.requests == Array(repeating: "POST /t HTTP/1.1", count: 3))
  }

  @Test
  func `a GET is sent again over a new connection, and so is every idempotent method`() async throws {
    for method in ["GET", "HEAD", "PUT", "DELETE"] {
      let server = try KeepingServer(answering: 1)
      let results = try await fetch(["POST", method], from: server)
      #expect((try? results[1].get().status) == 200, "\(method)")
      #expect(server.seen.requests.count == 3 && server.seen.connections == 2, "\(method)")
    }
  }

  @Test
  func `a response without a request is not read as the answer to the next request`() async throws {
    let late = "HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n"
    let server = try KeepingServer(answering: 2, thenUnasked: late)
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let fetcher = Fetcher(loop: loop)
    var target = DialTarget(host: "127.0.0.1", port: server.port)
    target.keepsConnections = true
    let statuses = await Task(executorPreference: loop.events) { [target] in
      var statuses: [Int?] = []
      for count in 1...2 {
        statuses.append(try? await fetcher.fetch(HTTPRequest(method: "POST", path: "/t"), from: target).get().status)
        for _ in 0..<10_000 where server.unaskedCount < count { await LoopSleeper(loop: loop).sleep(milliseconds: 5) }
      }
      return statuses
    }.value
    #expect(statuses == [200, 200] && server.seen.connections == 2)
  }
}
