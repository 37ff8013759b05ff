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
  /// A worker that a test plays: it answers each order with the same line, again and again until the storm has gone.
  private struct PlayedWorker: Site {
    let line: [UInt8]

    func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 404)) }

    func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
      guard request.method == "POST" else { return HTTPResponse(status: 204) }
      return HTTPResponse(
        stream: HTTPStream(endsByItself: true) { [line] in
          await loop.sleep(until: loop.now + .milliseconds(5))
          return line + [UInt8(ascii: "\n")]
        })
    }
  }

  /// Runs a storm with a worker that the test plays.
  private static func storm(hearing line: [UInt8], farewell: Duration, interrupting isInterrupting: Bool = false)
    async throws
    -> String
  {
    let loop = SocketLoop(index: 0)
    try loop.start()
    defer { loop.stop() }
    let listener = try await Listener.start(
      Listener.Settings(host: "127.0.0.1", port: 0), serving: PlayedWorker(line: line), on: [loop])
    let address = try WorkerAddress(Arguments.Value(text: "127.0.0.1:\(listener.port)", source: "--worker"))
    let link = WorkerLink(
      address: address, clockError: .zero, access: WorkerAccess(secret: "a secret", authorityPath: nil))
    let isHeard = Mutex<(@Sendable () -> Void)?>(nil)
    let parts = StormParts(
      count: 1, clients: 3, workers: [link], run: "", pins: [], farewell: farewell,
      report: { _ in isHeard.withLock { $0?() } })
    if isInterrupting { parts.interrupt() }
    // The observer ends it as soon as it has begun.
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
    let line = Array(try StormMessage.progress(StormProgress()).line().utf8)
    let said = try await Self.storm(hearing: line, farewell: .milliseconds(200))
    #expect(said.hasSuffix("--worker ADDRESS: it goes on, though it was told to end"))
  }

  @Test
  func `the result contains what a part reported before it failed, and how it failed`() async throws {
    var result = StormResult()
    result.seconds = 7
    result.connects.accepted = 3
    let line = Array(try StormMessage.snapshot(result).line().utf8)
    let said = try await Self.storm(hearing: line, farewell: .milliseconds(200), interrupting: true)
    #expect(said.hasPrefix("3 connected; 1 of 1 processes ended without a result: --worker ADDRESS: it goes on"))
  }

  @Test
  func `parts report no more clients than there are`() async throws {
    var result = StormResult()
    result.behaviours[.wellBehaved, default: .init()].clients = 4
    let line = Array(try StormMessage.result(result).line().utf8)
    let said = try await Self.storm(hearing: line, farewell: .milliseconds(200))
    #expect(said.contains("it told a result that no storm comes to"))
  }
}
