/// The progress of the fleets of one process, and whether all are through. Until then each keeps its clients connected.
///
/// `@unchecked Sendable`: touched only on the first loop, once the storm runs.
final class FleetGate: @unchecked Sendable {
  private var progress: [StormProgress?]
  private var counts: [StormResult]
  private var told = StormProgress()
  private var isReleased = false
  private let places: [FleetPlace]
  private let releases: Bool
  private let report: @Sendable (StormProgress) -> Void
  private let snapshots: (@Sendable ([StormResult]) -> Void)?
  /// Lets all fleets leave.
  var release: @Sendable () -> Void = {}

  /// Creates the gate of several fleets.
  ///
  /// - Parameters:
  ///   - places: The fleets, at least one.
  ///   - releases: Whether it lets all leave once all are through; otherwise another process says so.
  ///   - report: Called with the progress of all together.
  ///   - snapshots: Called once a second with the counts of all so far; nil for none.
  init(
    _ places: [FleetPlace], releases: Bool, report: @escaping @Sendable (StormProgress) -> Void,
    snapshots: (@Sendable ([StormResult]) -> Void)?
  ) {
    self.places = places
    self.releases = releases
    self.report = report
    self.snapshots = snapshots
    progress = Array(repeating: nil, count: places.count)
    counts = Array(repeating: StormResult(), count: places.count)
  }

  /// Notes the progress of a fleet. Reports that of all each time the first one tells its own, and at once if a phase has
  /// begun everywhere or all are through.
  func note(_ part: StormProgress, of fleet: Int) {
    progress[fleet] = part
    guard let whole else { return }
    if fleet == 0 || whole.phases != told.phases || whole.isThrough != told.isThrough {
      told = whole
      report(whole)
    }
    guard whole.isThrough, releases, !isReleased else { return }
    isReleased = true
    release()
  }

  /// The progress of all fleets together; nil before each has told its own.
  private var whole: StormProgress? {
    let all = progress.compactMap(\.self)
    guard all.count == progress.count, var whole = all.first else { return nil }
    for other in all.dropFirst() { whole.add(other) }
    whole.stage = all.map(\.stage).min() ?? whole.stage
    whole.seconds = all.map(\.seconds).max() ?? whole.seconds
    whole.phases = all.map(\.phases).min() ?? whole.phases
    whole.isThrough = all.allSatisfy(\.isThrough)
    return whole
  }

  /// Notes the counts of a fleet, loop by loop. Passes on those of all each time the first one tells its own.
  func note(_ parts: [StormResult], of fleet: Int) {
    guard let snapshots else { return }
    var sum = StormResult()
    for part in parts { sum.merge(part) }
    counts[fleet] = sum
    guard fleet == 0 else { return }
    snapshots([StormResult.whole(zip(places, counts).map { FleetResult($0, $1) })])
  }
}
