import Dispatch
import GatewayCore
import GatewayFleet
import GatewayProcess
import Synchronization

/// The output of a storm's part to the process that started the storm: one message a line, in order, on a separate thread.
final class PartTeller: Sendable {
  private let queue = DispatchQueue(label: "what a part of a storm tells")
  /// Whether a snapshot waits to be written; further ones are skipped meanwhile.
  private let isBusy = Atomic<Bool>(false)
  /// The least time between two snapshots, in nanoseconds.
  private let snapshotPause: Int64
  /// The time of the last snapshot, in nanoseconds since boot.
  private let lastSnapshot = Atomic<Int64>(0)

  /// The usual time between snapshots: often enough to lose little of a part that is killed, rare enough to have no
  /// measurable cost.
  static let usualPause = Duration.seconds(5)

  /// Creates the output.
  ///
  /// - Parameter snapshotPause: The least time between two snapshots; zero for a live page.
  init(snapshotPause: Duration) {
    self.snapshotPause = snapshotPause.nanoseconds
  }

  func tell(_ progress: StormProgress) {
    queue.async { Self.write(.progress(progress)) }
  }

  /// Writes the results that the loops of this part have counted so far.
  func tell(snapshot parts: [StormResult]) {
    let now = SystemTime.sinceBoot.nanoseconds
    guard now - lastSnapshot.load(ordering: .relaxed) >= snapshotPause else { return }
    lastSnapshot.store(now, ordering: .relaxed)
    guard !isBusy.exchange(true, ordering: .relaxed) else { return }
    queue.async { [self] in
      Self.write(.snapshot(StormResult(parts)))
      isBusy.store(false, ordering: .relaxed)
    }
  }

  /// Writes the final result, and returns when that is done.
  func tell(_ result: StormResult) {
    queue.sync { Self.write(.result(result)) }
  }

  private static func write(_ message: StormMessage) {
    if let line = try? message.line() { Output.line(line) }
  }
}

extension StormResult {
  /// Merges the results of parts.
  init(_ parts: some Sequence<StormResult>) {
    var rest = parts.makeIterator()
    self = rest.next() ?? StormResult()
    while let part = rest.next() { merge(part) }
  }
}
