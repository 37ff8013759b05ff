internal import GatewayCore

extension StormResult {
  /// A latency that the storm measures from a moment of its own, and that its own lateness can spoil.
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

  /// The lateness of the storm's own loops: 99 % of the time less than 2 ms, once 2.5 s.
  package struct Lateness: Hashable, Sendable, Codable {
    /// How late the loops came to what was due, looked at so often that an absence counts by its length.
    package var late = LatencyHistogram()
    /// The longest absences.
    package var stalls: [Stall] = []
    /// The latencies without the absences of the loop that measured them. Only those of which an absence was a part.
    package var least: [Timed: LatencyHistogram] = [:]
    /// How many processors all loops together may use.
    package var processors = 0
    /// Connections that were cut off, those of them that were lost, and first logins that failed, after the loop had been
    /// absent for so long that the end may be its own doing. Nil for none.
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

    /// No more are kept.
    static let stallsMax = 16
    /// In seconds: shorter ones are not kept.
    private static let stallLeast = 0.1

    mutating func note(_ stall: Stall) {
      guard stall.length >= Self.stallLeast else { return }
      stalls.append(stall)
      stalls.sort { $0.length > $1.length }
      if stalls.count > Self.stallsMax { stalls.removeLast() }
    }
  }

  /// The latency without the storm's own lateness; nil where that is no part of it.
  package func least(_ timed: Timed) -> LatencyHistogram? { lateness?.least[timed] }

  /// How many of those that were cut off, lost or not let in may be the storm's own doing.
  package func ownDoing(_ count: KeyPath<Lateness, Int?>) -> Int { lateness?[keyPath: count] ?? 0 }

  /// The other bound of a figure that connections make which end while the storm stands still: it may not have been so, or
  /// it may have been and nobody saw it. What was seen, where none ended so.
  package func otherBound(ofDip seen: Double?) -> Double? {
    ownDoing(\.cutOff) == 0 ? seen : seen.map { $0 < 1 ? 1 : 0 }
  }

  /// The same of a time that it took.
  package func otherBound(ofTime seen: Double?) -> Double? {
    ownDoing(\.cutOff) == 0 ? seen : seen.map { $0 > 0 ? 0 : lateness?.late.maximum?.inSeconds ?? 0 }
  }

  /// The share that was refreshed, if those that were lost by the storm's own doing had been too; nil if there was nobody.
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

  /// The lateness since `earlier`, which is a part of this result.
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

  /// The share of their processors that the storm's loops used; nil where it was not read.
  package var generatorShare: Double? {
    guard let before = generator[.beforeRamp], let after = generator[.afterSettling], before.isContinued(by: after),
      let processors = lateness?.processors, processors > 0, seconds > 0
    else { return nil }
    return (after.cpuSeconds - before.cpuSeconds) / (seconds * Double(processors))
  }
}
