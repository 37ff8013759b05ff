/// How long clients stayed, by share, from stays of which some had not ended when the recording did.
///
/// The share of clients that stay longer than a time is estimated by the product of the shares that did not leave at each time
/// before (Kaplan and Meier, "Nonparametric estimation from incomplete observations", 1958). A stay that had not ended counts
/// as present up to the end of the recording. To leave such stays out would make all stays too short.
struct StayEstimate {
  /// A time in milliseconds and the share of clients that leave between the step before and this one.
  struct Step: Equatable {
    var upTo: Int64
    var share: Double
  }

  private(set) var steps: [Step] = []
  /// The share of clients that stayed longer than the recording shows.
  private(set) var longer = 1.0

  private static let groupsMax = 20
  /// A shorter gap between two stays is none.
  private static let gapMin: Int64 = 250

  /// Estimates the stays.
  ///
  /// - Parameter stays: In milliseconds, and whether the client left then.
  init(_ stays: [(length: Int64, hasLeft: Bool)]) {
    let sorted = stays.sorted { ($0.length, $0.hasLeft ? 0 : 1) < ($1.length, $1.hasLeft ? 0 : 1) }
    var (leaving, present, index): ([Step], Int, Int) = ([], sorted.count, 0)
    while index < sorted.count {
      let length = sorted[index].length
      var (left, gone) = (0, 0)
      while index < sorted.count, sorted[index].length == length {
        if sorted[index].hasLeft { left += 1 }
        gone += 1
        index += 1
      }
      if left > 0 {
        let share = longer * Double(left) / Double(present)
        leaving.append(Step(upTo: length, share: share))
        longer -= share
      }
      present -= gone
    }
    if longer < 1e-9 { longer = 0 }
    group(leaving)
  }

  /// Makes steps of equal shares of single times, and of their gaps steps without a share.
  private mutating func group(_ leaving: [Step]) {
    let part = (1 - longer) / Double(max(1, min(Self.groupsMax, leaving.count / 5)))
    var (group, sum) = ([Step](), 0.0)
    for step in leaving {
      group.append(step)
      sum += step.share
      guard sum >= part - 1e-9 else { continue }
      add(group)
      (group, sum) = ([], 0)
    }
    if !group.isEmpty { add(group) }
  }

  /// Adds the times of a group, in two parts if there is a wide gap in it.
  private mutating func add(_ group: [Step]) {
    guard let first = group.first, let last = group.last else { return }
    let gaps = zip(group.indices.dropFirst(), zip(group, group.dropFirst()).map { $1.upTo - $0.upTo })
    if let widest = gaps.max(by: { $0.1 < $1.1 }), widest.1 > Self.gapMin,
      widest.1 > (last.upTo - first.upTo) / 5 * 4
    {
      add(Array(group[..<widest.0]))
      add(Array(group[widest.0...]))
      return
    }
    let before = steps.last?.upTo ?? 0
    let usual = max(Self.gapMin, (last.upTo - first.upTo) / Int64(max(1, group.count - 1)) * 5)
    if first.upTo - before > usual { steps.append(Step(upTo: first.upTo - 1, share: 0)) }
    let share = group.reduce(0) { $0 + $1.share }
    if steps.last?.upTo ?? 0 < last.upTo {
      steps.append(Step(upTo: last.upTo, share: share))
    } else {
      steps[steps.count - 1].share += share
    }
  }
}
