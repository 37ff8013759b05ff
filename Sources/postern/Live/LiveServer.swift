import GatewayCore
import GatewayFleet
import GatewayReport
import GatewayRuntime
import GatewayServer

/// The server of the page that moves while a storm lasts, on a loop of its own: a storm that keeps its loops busy does
/// not hold the page up, for instance.
struct LiveServer {
  private let board: LiveBoard
  private let loop: SocketLoop
  private let listener: Listener

  /// How long the pages may take to hear the last word.
  private static let farewell = Duration.seconds(3)

  /// Listens from now on, on loopback.
  ///
  /// - Parameters:
  ///   - port: 0 for a free one.
  ///   - report: What a result looks like while the storm lasts.
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

  /// Shows the report to whoever looks on, and ends; at once without one.
  func end(_ report: StormReport?) async {
    await listener.stopAccepting()
    if let report {
      board.finish(report)
      await listener.finishRequests(within: Self.farewell)
    }
    loop.stop()
  }
}
