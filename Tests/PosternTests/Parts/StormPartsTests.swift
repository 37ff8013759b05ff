import Foundation
import GatewayCore
import GatewayFleet
import GatewayProcess
import Synchronization
import Testing

@testable import postern

@Suite(.timeLimit(.minutes(20)))
struct StormPartsTests {
  /// Runs a storm with a worker that the test plays: it sends the same line again and again until the storm
  /// disconnects.
  private static func storm(hearing line: [UInt8], farewell: Duration, interrupting isInterrupting: Bool = false)
    async throws
    -> String
  {
    signal(SIGPIPE, SIG_IGN)
    var descriptors: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    let (ours, theirs) = (LineStream(descriptor: descriptors[0]), LineStream(descriptor: descriptors[1]))
    let link = WorkerLink(address: .usual, stream: ours, clockError: .zero)
    let isHeard = Mutex<(@Sendable () -> Void)?>(nil)
    let parts = StormParts(
      count: 1, clients: 3, workers: [link], run: "", pins: [], farewell: farewell,
      report: { _ in isHeard.withLock { $0?() } })
    if isInterrupting { parts.interrupt() }
    // The observer ends it as soon as it has begun.
    isHeard.withLock { $0 = { [weak parts] in parts?.interrupt() } }
    Thread.detachNewThread {
      while (try? theirs.write(line, patience: .seconds(5))) != nil { poll(nil, 0, 5) }
    }
    do {
      let (result, failures) = try await parts.run(words: ["storm"], startsAt: SystemTime.now)
      return "\(result.connects.accepted) connected; " + failures.joined()
    } catch let failure as StormPartFailure {
      return failure.description
    }
  }

  @Test
  func `parts that go on after the order to end are not waited for without end`() async throws {
    let line = Array(try StormMessage.progress(StormProgress()).line().utf8)
    let said = try await Self.storm(hearing: line, farewell: .milliseconds(200))
    #expect(said.hasSuffix("--worker 127.0.0.1:7300: it goes on, though it was told to end"))
  }

  @Test
  func `the result contains what a part reported before it failed, and how it failed`() async throws {
    var result = StormResult()
    result.seconds = 7
    result.connects.accepted = 3
    let line = Array(try StormMessage.snapshot(result).line().utf8)
    let said = try await Self.storm(hearing: line, farewell: .milliseconds(200), interrupting: true)
    #expect(said.hasPrefix("3 connected; 1 of 1 processes ended without a result: --worker 127.0.0.1:7300: it goes on"))
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
