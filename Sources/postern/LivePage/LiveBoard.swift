import GatewayCore
import GatewayFleet
import GatewayReport
import Synchronization

/// The content of the live page and of the page of metrics: the latest result of a storm, rendered when a reader asks for it.
final class LiveBoard: Sendable {
  private struct State {
    var parts: [StormResult] = []
    /// A number that grows with each change.
    var version = 0
    var isOver = false
    /// The content of a version, rendered once for all readers.
    var drawn: (version: Int, content: String)?
    /// The page of metrics of a version, likewise.
    var measured: (version: Int, page: [UInt8])?
    var readers = 0
  }

  private let state = Mutex(State())
  private let report: @Sendable (StormResult) -> StormReport
  private let metrics: StormMetrics

  /// The maximum number of readers at once.
  static let readersMax = 16

  /// Creates an empty board.
  ///
  /// - Parameters:
  ///   - metrics: Makes the page of metrics of a result.
  ///   - report: Makes the report of a result while the storm runs.
  init(_ metrics: StormMetrics, _ report: @escaping @Sendable (StormResult) -> StormReport) {
    self.metrics = metrics
    self.report = report
  }

  /// Shows the results counted so far.
  func show(_ parts: [StormResult]) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.parts = parts
      state.version += 1
    }
  }

  /// Shows the final report.
  func finish(_ report: StormReport) {
    let content = report.live
    state.withLock { state in
      state.version += 1
      state.isOver = true
      state.drawn = (state.version, content)
      state.parts = [report.result]
    }
  }

  /// Returns the event that follows the version that a reader has, and its version; nil if there is none yet.
  func event(after version: Int) -> (event: ServerSentEvent, version: Int)? {
    let (parts, latest, drawn, isOver) = state.withLock { ($0.parts, $0.version, $0.drawn, $0.isOver) }
    guard latest > version else { return nil }
    let name = isOver ? "over" : "storm"
    if let drawn, drawn.version == latest { return (ServerSentEvent(event: name, data: drawn.content), latest) }
    let content = report(StormResult(parts)).live
    state.withLock { state in
      if (state.drawn?.version ?? 0) < latest { state.drawn = (latest, content) }
    }
    return (ServerSentEvent(event: "storm", data: content), latest)
  }

  /// Returns the page of metrics of the counts so far. Readers of one version share one rendering.
  func metricsPage() -> [UInt8] {
    let (parts, latest, measured, isOver) = state.withLock { ($0.parts, $0.version, $0.measured, $0.isOver) }
    if let measured, measured.version == latest { return measured.page }
    let page = metrics.page(StormResult(parts), isOver: isOver)
    state.withLock { state in
      if (state.measured?.version ?? -1) < latest { state.measured = (latest, page) }
    }
    return page
  }

  /// Whether it has the final report.
  var hasEnded: Bool { state.withLock { $0.isOver } }

  /// Returns whether that version is the final one.
  func isOver(at version: Int) -> Bool { state.withLock { $0.isOver && $0.version == version } }

  /// Returns a new reader; nil if there are too many.
  func reader() -> LiveReader? {
    let isTaken = state.withLock { state in
      guard state.readers < Self.readersMax else { return false }
      state.readers += 1
      return true
    }
    return isTaken ? LiveReader(self) : nil
  }

  fileprivate func left() {
    state.withLock { $0.readers -= 1 }
  }
}

/// One open live page, and the version that it has seen.
final class LiveReader: Sendable {
  private let board: LiveBoard
  private let seen = Mutex(0)

  fileprivate init(_ board: LiveBoard) {
    self.board = board
  }

  deinit { board.left() }

  /// Whether the page has the final version.
  var isThrough: Bool { board.isOver(at: seen.withLock { $0 }) }

  /// Returns the bytes of the next event; nil if there is none.
  func news() -> [UInt8]? {
    guard let (event, version) = board.event(after: seen.withLock { $0 }) else { return nil }
    seen.withLock { $0 = version }
    return event.bytes
  }
}
