import GatewayCore
import GatewayFleet
import GatewayProcess
import GatewayReport
import Synchronization

/// The report of a storm that has not ended. It is written into the folder of `--report` every two seconds, and survives if
/// the process is killed. The final report replaces it.
final class InterimReport: Sendable {
  private struct State {
    var isWriting = false
    var isOver = false
    var nextWrite = Instant.zero
  }

  private let state = Mutex(State())
  private let file: FilePath
  private let report: @Sendable (StormResult) -> StormReport

  private static let pause = Duration.seconds(2)

  /// Creates the report's writer; nil without a folder.
  ///
  /// - Parameters:
  ///   - directory: The folder of `--report`.
  ///   - report: Makes a report of the counts so far, marked as not final.
  init?(_ directory: String?, _ report: @escaping @Sendable (StormResult) -> StormReport) {
    guard let directory else { return nil }
    file = FilePath(directory).appending("storm.json")
    self.report = report
  }

  /// Writes the results counted so far, part by part, on its own thread: no loop waits for the disk.
  func show(_ parts: [StormResult]) {
    let now = Instant.zero + SystemTime.sinceBoot
    let isDue = state.withLock { state in
      guard !state.isOver, !state.isWriting, now >= state.nextWrite else { return false }
      state.isWriting = true
      state.nextWrite = now + Self.pause
      return true
    }
    guard isDue else { return }
    OwnThread.start { [self] in
      var result = StormResult(parts)
      result.wasInterrupted = true
      if let json = try? report(result).json() {
        state.withLock { state in
          // A folder that is not writable is reported at the end.
          if !state.isOver { try? file.write(json) }
        }
      }
      state.withLock { $0.isWriting = false }
    }
  }

  /// Stops all writing.
  func end() { state.withLock { $0.isOver = true } }
}
