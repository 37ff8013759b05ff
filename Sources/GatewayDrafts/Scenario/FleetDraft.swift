/// The clients of one wire of a recording, in the numbers of a scenario.
struct FleetDraft {
  let arrivals: ArrivalEstimate
  let stays: StayEstimate
  let lives: LifeEstimate
  /// From the scenario's start to its end, in milliseconds.
  let length: Int64
  /// The clients, and of them: those that came before the recording, never logged in, came back at least once, were present at
  /// its end, left together at its end, and showed no life of a token.
  let clients: Int
  let connections: Int
  private(set) var earlier = 0
  private(set) var strangers = 0
  private(set) var present = 0
  private(set) var dismissed = 0
  private(set) var lifeless = 0
  /// The most clients at one time.
  private(set) var peak = 0
  /// The time in which clients from before the recording arrive, ahead of the others, in milliseconds.
  let ramp: Int64
  /// The clients a second at the start that stand for those that came before the recording.
  var rampRate: Double { ramp == 0 ? 0 : Double(earlier) / Double(ramp) * 1_000 }

  /// The most time in which clients leave together at the end, as a part of the length and in milliseconds.
  private static let togetherPart: Int64 = 50
  private static let togetherMin: Int64 = 1_000

  /// - Parameters:
  ///   - visits: The clients, at least one.
  ///   - span: The time of the recording in which there were clients.
  ///   - ramp: How long the start is during which clients that came before the recording arrive.
  init(_ visits: [Visit], span: ClosedRange<Int64>, ramp: Int64) {
    self.ramp = ramp
    length = max(1, span.upperBound - span.lowerBound) + ramp
    clients = visits.count
    connections = visits.reduce(0) { $0 + $1.connections }
    let end = span.upperBound
    var (visits, times) = (visits, [Int64]())
    dismissed = Self.keepPresent(&visits, until: end)
    let showsLogins = visits.contains { $0.loggedInAt != nil }
    var (lengths, found): ([(length: Int64, hasLeft: Bool)], [Int64]) = ([], [])
    for visit in visits {
      if let life = visit.life { found.append(life) } else { lifeless += 1 }
      if visit.leftAt == nil { present += 1 }
      guard let arrived = visit.arrivedAt else {
        earlier += 1
        continue
      }
      times.append(arrived - span.lowerBound)
      guard let began = visit.loggedInAt ?? (showsLogins ? nil : arrived) else {
        strangers += 1
        continue
      }
      lengths.append((max(1, (visit.leftAt ?? end) - began), visit.leftAt != nil))
    }
    (stays, lives) = (StayEstimate(lengths), LifeEstimate(found))
    arrivals = ArrivalEstimate(times, length: length - ramp)
    peak = Self.peak(of: visits)
  }

  /// Makes clients that left together at the very end clients that are still there: who recorded has ended them. Returns how
  /// many.
  private static func keepPresent(_ visits: inout [Visit], until end: Int64) -> Int {
    let ends = visits.compactMap(\.leftAt)
    guard let last = ends.max() else { return 0 }
    let began = visits.lazy.compactMap(\.arrivedAt).min() ?? last
    let together = max(togetherMin, (last - began) / togetherPart)
    let leaving = ends.count { $0 > last - together }
    let before = ends.count { $0 > last - 2 * together && $0 <= last - together }
    let staying = visits.count { $0.leftAt == nil }
    // As many at once as left before by themselves are no end.
    guard leaving >= 2, leaving > 3 * before + 3 || before == 0 && leaving == visits.count, leaving > staying else {
      return 0
    }
    for index in visits.indices {
      if let left = visits[index].leftAt, left > last - together { visits[index].leftAt = nil }
    }
    return leaving
  }

  private static func peak(of visits: [Visit]) -> Int {
    var edges: [(at: Int64, change: Int)] = []
    for visit in visits {
      edges.append((visit.arrivedAt ?? .min, 1))
      if let left = visit.leftAt { edges.append((left, -1)) }
    }
    var (present, peak) = (0, 0)
    for edge in edges.sorted(by: { ($0.at, $0.change) < ($1.at, $1.change) }) {
      present += edge.change
      peak = max(peak, present)
    }
    return peak
  }

  /// The most clients at one time that a scenario needs: chance decides who stays how long, so another run has more at times.
  func places(ofScale scale: Double) -> Int {
    let most = Double(peak) * scale
    return max(1, Int(stays.steps.isEmpty ? most.rounded(.up) : (most + 2 * most.squareRoot()).rounded(.up)))
  }
}
