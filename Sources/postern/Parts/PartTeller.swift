import Dispatch
import GatewayCore
import GatewayFleet
import Synchronization

/// The reports of a storm's part to the process that began the storm: a line for each message, in order.
///
/// They are written on a thread that is no loop's.
final class PartTeller: Sendable {
  private let queue = DispatchQueue(label: "what a part of a storm tells")
  /// Whether a snapshot waits to be told: one that comes meanwhile is left out.
  private let isBusy = Atomic<Bool>(false)
  /// How long after a snapshot, in nanoseconds, another may be told.
  private let snapshotPause: Int64
  /// When the last was told, in nanoseconds since the machine was started.
  private let lastSnapshot = Atomic<Int64>(0)

  /// Often enough that little is lost of a part that is killed, seldom enough to cost it nothing that can be measured.
  static let usualPause = Duration.seconds(5)

  /// - Parameter snapshotPause: Zero where somebody looks on.
  init(snapshotPause: Duration) {
    self.snapshotPause = snapshotPause.nanoseconds
  }

  func tell(_ progress: StormProgress) {
    queue.async { Self.write(.progress(progress)) }
  }

  /// Reports what the loops of this part have counted so far.
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

  /// The last word; returns when it is said.
  func tell(_ result: StormResult) {
    queue.sync { Self.write(.result(result)) }
  }

  private static func write(_ message: StormMessage) {
    if let line = try? message.line() { Output.line(line) }
  }
}

extension StormResult {
  /// Creates the sum of several parts.
  init(_ parts: some Sequence<StormResult>) {
    self.init()
    for part in parts { merge(part) }
  }
}
