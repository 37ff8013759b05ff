import Dispatch
import Glibc
import Synchronization

/// A writer of log lines to a descriptor that may block or fail: a stopped terminal, a pipe that nobody reads, a full disk.
/// A thread of its own writes, so that no caller waits. Lines that find the queue full, or that the descriptor refuses, are
/// lost and counted.
final class LineWriter: Sendable {
  static let standardOutput = LineWriter(STDOUT_FILENO)
  static let standardError = LineWriter(STDERR_FILENO)

  /// The most that may wait or be under way, in bytes.
  static let bytesMax = 1 << 20

  private enum Entry: Sendable {
    case bytes([UInt8])
    /// Everything before this has been dealt with.
    case mark(DispatchSemaphore)
  }

  private struct State {
    var waiting: [Entry] = []
    var bytes = 0
    var lost: UInt64 = 0
    var hasThread = false
  }

  private let descriptor: Int32
  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Has the thread look at what has been added. The first time this starts it: a process that has logged nothing yet has
  /// one thread less.
  private func tell() {
    let isFirst = state.withLock { state in
      defer { state.hasThread = true }
      return !state.hasThread
    }
    arrivals.signal()
    if isFirst { OwnThread.start { [self] in writeAll() } }
  }

  private func writeAll() {
    while true {
      arrivals.wait()
      for entry in take() {
        switch entry {
        case .bytes(let bytes): finish(bytes.count, isWritten: Output.write(bytes, to: descriptor, patience: nil))
        case .mark(let semaphore): semaphore.signal()
        }
      }
    }
  }

  /// How many lines nobody will read.
  var lost: UInt64 { state.withLock { $0.lost } }

  /// Writes `text` as it is, some time soon. From any thread.
  func add(_ text: String) {
    let bytes = Array(text.utf8)
    let isTaken = state.withLock { state in
      guard state.bytes + bytes.count <= Self.bytesMax else {
        state.lost += 1
        return false
      }
      state.bytes += bytes.count
      state.waiting.append(.bytes(bytes))
      return true
    }
    if isTaken { tell() }
  }

  /// Waits until all that was added has been dealt with, but no longer than a second.
  func flush() {
    let mark = DispatchSemaphore(value: 0)
    state.withLock { $0.waiting.append(.mark(mark)) }
    tell()
    _ = mark.wait(timeout: .now() + .seconds(1))
  }

  private func take() -> [Entry] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  private func finish(_ bytes: Int, isWritten: Bool) {
    state.withLock { state in
      state.bytes -= bytes
      if !isWritten { state.lost += 1 }
    }
  }
}
