import Dispatch
import Glibc
import Synchronization

/// A writer of log lines to a descriptor that may block or fail, e.g. a stopped terminal, an unread pipe or a full disk.
///
/// It writes on its own thread, so that no caller waits. A line is lost, and counted, if the queue is full or the descriptor
/// rejects it.
final class LineWriter: Sendable {
  static let standardOutput = LineWriter(STDOUT_FILENO)
  static let standardError = LineWriter(STDERR_FILENO)

  /// The maximum number of bytes in the queue, including those being written.
  static let bytesMax = 1 << 20

  private enum Entry: Sendable {
    case bytes([UInt8])
    /// A mark that is signalled when all entries before it have been handled.
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

  /// Wakes the thread, and starts it the first time. A process that has logged nothing has one thread less.
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

  /// The number of lines that were lost.
  var lost: UInt64 { state.withLock { $0.lost } }

  /// Queues `text`, which the thread writes unchanged. May be called from any thread.
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

  /// Waits until everything queued so far has been handled, for at most one second.
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
