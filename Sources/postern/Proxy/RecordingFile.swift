import Dispatch
import GatewayControl
import GatewayKit
import Glibc
import Synchronization

/// The file of a recording. A thread of its own writes it, so that a slow disk delays no client. The file keeps its former
/// content until the recording begins.
final class RecordingFile: RecordingSink, Sendable {
  /// The maximum number of bytes that wait for the disk. Further lines are lost.
  private static let waitingMax = 8 << 20
  /// The longest wait for the disk at the end.
  private static let patience = DispatchTimeInterval.seconds(10)

  private struct State {
    var waiting: [UInt8] = []
    var isLast = false
    /// Whether nothing more is written, because the disk refused it.
    var hasFailed = false
  }

  private let path: String
  private let descriptor: Int32
  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)
  private let finished = DispatchSemaphore(value: 0)

  /// Opens or creates the file, which only its owner can read.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - source: The flag that names it, for the error.
  init(_ path: String, of source: String) throws {
    self.path = path
    descriptor = PrivateFile.open(path)
    guard descriptor >= 0 else {
      throw UsageError("\(source): cannot write '\(path)': \(String(cString: strerror(errno))); choose another file")
    }
    OwnThread.start { [self] in write() }
  }

  func take(_ line: [UInt8]) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.hasFailed, state.waiting.count + line.count <= Self.waitingMax else { return false }
      state.waiting += line
      return true
    }
    if isTaken { arrivals.signal() }
    return isTaken
  }

  func end(with line: [UInt8], isFull: Bool) {
    if isFull {
      Output.error("--record: '\(path)' is full (--record-bytes-max); the recording ends, and the proxy goes on")
    }
    state.withLock { state in
      if !state.hasFailed { state.waiting += line }
      state.isLast = true
    }
    arrivals.signal()
  }

  /// Waits until the file has its last line, for at most ten seconds. After ``end(with:)``.
  func close() {
    if finished.wait(timeout: .now() + Self.patience) == .timedOut {
      Output.error("--record: '\(path)' is not complete: the disk did not take its end within 10 s")
    }
  }

  private func write() {
    var size: off_t = 0
    while true {
      arrivals.wait()
      let (bytes, isLast) = state.withLock { state in
        defer { state.waiting = [] }
        return (state.waiting, state.isLast)
      }
      if let failure = write(bytes, at: size) {
        state.withLock { $0.hasFailed = true }
        Output.error(
          "--record: cannot write '\(path)': \(failure); the recording ends after \(size) bytes, and the proxy goes on")
      } else {
        size += off_t(bytes.count)
      }
      guard isLast else { continue }
      _ = Glibc.close(descriptor)
      finished.signal()
      return
    }
  }

  /// Writes whole lines, or nothing. Returns why the disk refuses them.
  private func write(_ bytes: [UInt8], at size: off_t) -> String? {
    guard size > 0 || PrivateFile.clear(descriptor) else { return String(cString: strerror(errno)) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written) }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        let failure = String(cString: strerror(errno))
        _ = ftruncate(descriptor, size)
        return failure
      }
    }
    return nil
  }
}
