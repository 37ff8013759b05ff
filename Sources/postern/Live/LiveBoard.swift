import GatewayCore
import GatewayFleet
import GatewayReport
import Synchronization

/// The content of the live page: the latest figures of a storm, drawn when a page asks.
final class LiveBoard: Sendable {
  private struct State {
    var parts: [StormResult] = []
    /// Grows with each change.
    var version = 0
    var isOver = false
    /// The content of a version, drawn once for all readers.
    var drawn: (version: Int, content: String)?
    var readers = 0
  }

  private let state = Mutex(State())
  private let report: @Sendable (StormResult) -> StormReport

  /// As many pages may look at once.
  static let readersMax = 16

  /// - Parameter report: Makes the report of a result while the storm lasts.
  init(_ report: @escaping @Sendable (StormResult) -> StormReport) {
    self.report = report
  }

  /// Takes the counts so far.
  func show(_ parts: [StormResult]) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.parts = parts
      state.version += 1
    }
  }

  /// The last word.
  func finish(_ report: StormReport) {
    let content = report.live
    state.withLock { state in
      state.version += 1
      state.isOver = true
      state.drawn = (state.version, content)
      state.parts = []
    }
  }

  /// The event after the version that a reader has, and its own; nil if there is none yet.
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

  /// Whether the last word has been said, and is that version.
  func isOver(at version: Int) -> Bool { state.withLock { $0.isOver && $0.version == version } }

  /// A place for one more reader; nil if there is none.
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

/// One page that looks on, and what it has seen.
final class LiveReader: Sendable {
  private let board: LiveBoard
  private let seen = Mutex(0)

  fileprivate init(_ board: LiveBoard) {
    self.board = board
  }

  deinit { board.left() }

  /// Whether it has the last word.
  var isThrough: Bool { board.isOver(at: seen.withLock { $0 }) }

  /// Returns what is new, as bytes; nil if nothing is.
  func news() -> [UInt8]? {
    guard let (event, version) = board.event(after: seen.withLock { $0 }) else { return nil }
    seen.withLock { $0 = version }
    return event.bytes
  }
}
