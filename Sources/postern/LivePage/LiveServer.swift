import GatewayCore
import GatewayFleet
import GatewayReport
import GatewayRuntime
import GatewayServer

/// The server of the live page during a storm. It has its own loop, so that the storm's busy loops do not slow the page down.
struct LiveServer {
  private let board: LiveBoard
  private let loop: SocketLoop
  private let listener: Listener

  /// The timeout for sending the final report to the pages.
  private static let farewell = Duration.seconds(3)

  /// Starts to listen on loopback.
  ///
  /// - Parameters:
  ///   - port: The port; 0 for a free one.
  ///   - metrics: Makes the page of metrics.
  ///   - report: Makes the report of a result while the storm runs.
  static func start(
    port: Int, _ metrics: StormMetrics, _ report: @escaping @Sendable (StormResult) -> StormReport
  ) async throws -> LiveServer {
    let board = LiveBoard(metrics, report)
    let loop = SocketLoop(index: 0)
    try loop.start()
    do {
      let listener = try await Listener.start(
        Listener.Settings(host: "127.0.0.1", port: port), serving: LiveSite(board), on: [loop])
      return LiveServer(board: board, loop: loop, listener: listener)
    } catch {
      loop.stop()
      throw error
    }
  }

  var address: String { "http://127.0.0.1:\(listener.port)/" }

  /// The function that receives the results counted so far, part by part. It may be called from any thread.
  var snapshots: @Sendable ([StormResult]) -> Void { { [board] in board.show($0) } }

  /// Shows the final report to the open pages and to scrapes.
  func finish(_ report: StormReport) { board.finish(report) }

  /// Answers for that long, then lets the open pages have the final report, if there is one, and ends.
  func end(after time: Duration = .zero) async {
    if time > .zero {
      let events = loop.events
      await Task(executorPreference: events) { await events.sleep(until: events.now + time) }.value
    }
    await listener.stopAccepting()
    if board.hasEnded { await listener.finishRequests(within: Self.farewell) }
    loop.stop()
  }
}
