internal import GatewayCore

extension StormResult {
  /// A latency that the storm measures with its own clock, and that its own lateness can distort.
  package enum Timed: String, Hashable, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    case connect
    case refresh
    case outage
    case provider
    case sinceOnset = "since_onset"
    case overdue

    func measured(_ result: StormResult) -> LatencyHistogram {
      switch self {
      case .connect: result.latencies.connect
      case .refresh: result.behaviours[.wellBehaved]?.refreshLatency ?? LatencyHistogram()
      case .outage: result.latencies.outage
      case .provider: result.latencies.provider
      case .sinceOnset: result.latencies.sinceOnset
      case .overdue: result.latencies.overdue ?? LatencyHistogram()
      }
    }
  }

  /// The lateness of the storm's own event loops.
  package struct Lateness: Hashable, Sendable, Codable {
    /// The delay of due work on the loops, sampled so often that an absence counts by its length.
    package var late = LatencyHistogram()
    /// The longest absences.
    package var stalls: [Stall] = []
    /// The latencies minus the absences of the loop that measured them. A kind is
    /// present only if an absence was part of one of its latencies.
    package var least: [Timed: LatencyHistogram] = [:]
    /// The maximum number of processors that all loops together may use.
    package var processors = 0
    /// Connections cut off, clients lost and first logins failed, each after an absence of the loop that may have caused it.
    /// Nil for none.
    package var cutOff: Int?
    package var lost: Int?
    package var failedLogins: Int?

    package init() {}

    /// An absence of one loop, in seconds from the storm's start.
    package struct Stall: Hashable, Sendable, Codable {
      package var at: Double
      package var length: Double
      package var process: Int
    }

    static var counts: [WritableKeyPath<Lateness, Int?>] { [\.cutOff, \.lost, \.failedLogins] }

    /// The maximum number of absences that are kept.
    static let stallsMax = 16
    /// The minimum length of an absence that is kept, in seconds.
    private static let stallLeast = 0.1

    mutating func note(_ stall: Stall) {
      guard stall.length >= Self.stallLeast else { return }
      stalls.append(stall)
      stalls.sort { $0.length > $1.length }
      if stalls.count > Self.stallsMax { stalls.removeLast() }
    }
  }

  /// Returns the latency without the storm's own lateness; nil if the lateness has no part in it.
  package func least(_ timed: Timed) -> LatencyHistogram? { lateness?.least[timed] }

  /// Returns how many connections or logins of that kind may have failed because of the storm itself.
  package func ownDoing(_ count: KeyPath<Lateness, Int?>) -> Int { lateness?[keyPath: count] ?? 0 }

  /// Returns the other bound of a dip if connections ended while the storm's own loops stood still. Such a dip may not
  /// have happened, and one that was not seen may have. Returns `seen` if no connection ended in that way.
  package func otherBound(ofDip seen: Double?) -> Double? {
    ownDoing(\.cutOff) == 0 ? seen : seen.map { $0 < 1 ? 1 : 0 }
  }

  /// Returns the same for a duration in seconds.
  package func otherBound(ofTime seen: Double?) -> Double? {
    ownDoing(\.cutOff) == 0 ? seen : seen.map { $0 > 0 ? 0 : lateness?.late.maximum?.inSeconds ?? 0 }
  }

  /// The share that was refreshed if the clients that the storm itself lost are included; nil if there were no clients.
  package var refreshedShareAtBest: Double? {
    let own = min(everybody.lostUnexpectedly, ownDoing(\.lost))
    return refreshedShare.map { min(1, $0 + Double(own) / Double(refreshable)) }
  }

  /// Adds the lateness of another part, whose latencies have not been added yet.
  mutating func merge(latenessOf other: StormResult) {
    guard lateness != nil || other.lateness != nil else { return }
    var sum = lateness ?? Lateness()
    let theirs = other.lateness ?? Lateness()
    sum.late.merge(theirs.late)
    for stall in theirs.stalls { sum.note(stall) }
    let processors = StormSeries.believed(sum.processors) + StormSeries.believed(theirs.processors)
    sum.processors = StormSeries.believed(processors)
    for count in Lateness.counts {
      if let more = theirs[keyPath: count] {
        let all = StormSeries.believed(sum[keyPath: count] ?? 0) + StormSeries.believed(more)
        sum[keyPath: count] = StormSeries.believed(all)
      }
    }
    for timed in Timed.allCases where sum.least[timed] != nil || theirs.least[timed] != nil {
      var least = sum.least[timed] ?? timed.measured(self)
      least.merge(theirs.least[timed] ?? timed.measured(other))
      sum.least[timed] = least
    }
    lateness = sum
  }

  /// Returns the lateness since `earlier`, an earlier state of this result.
  func lateness(since earlier: StormResult) -> Lateness? {
    guard let lateness else { return nil }
    var part = Lateness()
    part.late = lateness.late.since(earlier.lateness?.late ?? LatencyHistogram())
    part.stalls = lateness.stalls.filter { earlier.lateness?.stalls.contains($0) != true }
    part.processors = lateness.processors
    for count in Lateness.counts {
      let more = (lateness[keyPath: count] ?? 0) - (earlier.lateness?[keyPath: count] ?? 0)
      if more > 0 { part[keyPath: count] = more }
    }
    for (timed, least) in lateness.least {
      part.least[timed] = least.since(earlier.lateness?.least[timed] ?? timed.measured(earlier))
    }
    return part
  }

  /// The share of their processors that the storm's loops used; nil if it was not read.
  package var generatorShare: Double? {
    guard let before = generator[.beforeRamp], let after = generator[.afterSettling], before.isContinued(by: after),
      let processors = lateness?.processors, processors > 0, seconds > 0
    else { return nil }
    return (after.cpuSeconds - before.cpuSeconds) / (seconds * Double(processors))
  }
}
