import GatewayCore
import GatewayFleet
import GatewayReport
import GatewayRuntime
import GatewayServer

/// The server of the live page during a storm.
///
/// It has a loop of its own, so that busy loops of the storm do not delay it.
struct LiveServer {
  private let board: LiveBoard
  private let loop: SocketLoop
  private let listener: Listener

  /// How long the pages may take to hear the last word.
  private static let farewell = Duration.seconds(3)

  /// Starts to listen, on loopback.
  ///
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - report: Makes the report of a result while the storm lasts.
  static func start(
    port: Int, _ report: @escaping @Sendable (StormResult) -> StormReport
  ) async throws -> LiveServer {
    let board = LiveBoard(report)
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

  /// Told what was counted so far, part by part. From any thread.
  var snapshots: @Sendable ([StormResult]) -> Void { { [board] in board.show($0) } }

  /// Shows the report to the pages that look on, and ends; at once without one.
  func end(_ report: StormReport?) async {
    await listener.stopAccepting()
    if let report {
      board.finish(report)
      await listener.finishRequests(within: Self.farewell)
    }
    loop.stop()
  }
}
