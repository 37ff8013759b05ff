import Foundation
import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewayServer
import Synchronization
import Testing

@testable import postern

@Suite(.timeLimit(.minutes(20)))
struct StormPartsTests {
  /// A worker that a test plays: it answers each order with the same lines, again and again until the storm has gone.
  private struct PlayedWorker: Site {
    let lines: [UInt8]

    func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 404)) }

    func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
      guard request.method == "POST" else { return HTTPResponse(status: 204) }
      return HTTPResponse(
        stream: HTTPStream(endsByItself: true) { [lines] in
          await loop.sleep(until: loop.now + .milliseconds(5))
          return lines
        })
    }
  }

  /// Runs a storm with a worker that the test plays, and ends it at the first progress that the worker tells.
  private static func storm(hearing messages: StormMessage..., farewell: Duration) async throws -> String {
    let lines = try messages.flatMap { try $0.line().utf8 + [UInt8(ascii: "\n")] }
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let listener = try await Listener.start(
      Listener.Settings(host: "127.0.0.1", port: 0), serving: PlayedWorker(lines: lines), on: [loop])
    let address = try WorkerAddress(Arguments.Value(text: "127.0.0.1:\(listener.port)", source: "--worker"))
    let link = WorkerLink(
      address: address, clockError: .zero, access: WorkerAccess(secret: "a secret", authorityPath: nil))
    let isHeard = Mutex<(@Sendable () -> Void)?>(nil)
    let parts = StormParts(
      count: 1, clients: 3, workers: [link], run: "", pins: [], farewell: farewell,
      report: { _ in isHeard.withLock { $0?() } })
    isHeard.withLock { $0 = { [weak parts] in parts?.interrupt() } }
    var said: String
    do {
      let (result, failures) = try await parts.run(words: ["storm"], startsAt: SystemTime.now)
      said = "\(result.connects.accepted) connected; " + failures.joined()
    } catch let failure as StormPartFailure {
      said = failure.description
    }
    await listener.stopAccepting()
    return said.replacing("\(address)", with: "ADDRESS")
  }

  @Test
  func `parts that go on after the order to end are not waited for without end`() async throws {
    let said = try await Self.storm(hearing: .progress(StormProgress()), farewell: .milliseconds(200))
    #expect(said.hasSuffix("--worker ADDRESS: it goes on, though it was told to end"))
  }

  @Test
  func `the result contains what a part reported before it failed, and how it failed`() async throws {
    var result = StormResult()
    result.seconds = 7
    result.connects.accepted = 3
    let said = try await Self.storm(
      hearing: .snapshot(result), .progress(StormProgress()), farewell: .milliseconds(200))
    #expect(said.hasPrefix("3 connected; 1 of 1 processes ended without a result: --worker ADDRESS: it goes on"))
  }

  @Test
  func `parts report at most as many clients as there are`() async throws {
    var result = StormResult()
    result.behaviours[.wellBehaved, default: .init()].clients = 4
    let said = try await Self.storm(hearing: .result(result), farewell: .milliseconds(200))
    #expect(said.contains("it told a result that no storm comes to"))
  }
}
