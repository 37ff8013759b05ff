internal import GatewayCore
package import GatewayRuntime

extension Expectation {
  /// Expects that waits vary at random, so that the clients of a fleet do not reconnect at the same time.
  ///
  /// Waits are compared within a rung, e.g. the first waits after a success with each other. A backoff that doubles has
  /// waits of many lengths without any randomness. Five waits of one rung are enough, or as many more as there are
  /// rungs.
  package static func backoffHasJitter(
    after kind: JournalKind = .closed, before attempt: ClientStory.Attempt? = nil
  ) -> Expectation {
    Expectation("backoff_has_jitter", since: kind) { _ in
      Backoff(kind: kind, waits: .init(after: kind, before: attempt ?? .after(kind)))
    }
  }

  /// The waits, which must vary.
  private struct Backoff: ExpectationJudge {
    /// The minimum deviation of waits from their mean, as a share of it, and the minimum number of compared waits.
    private static let (variationMin, comparedMin) = (0.1, 5)
    /// The bounds for a failure. Five random waits differ by less than a tenth once in a hundred times, and by less
    /// than a twentieth once in a thousand. Between the two bounds this many compared waits are needed.
    private static let (variationOfNone, comparedToBeSure) = (0.05, 12)
    /// The deviation that a machine's own timing may cause in equal waits.
    private static let noiseMs = 10.0
    /// The mean up to which waits may differ only by what a busy machine adds to each.
    private static let shortMs = 100.0
    /// The maximum lost time, as a share of the shortest wait, at which the growth of waits can still be recognised.
    private static let noiseShare = 0.05

    let kind: JournalKind
    var waits: ClientStory.Waits

    mutating func hear(_ line: JournalLine) -> JournalVerdict? {
      waits.hear(line)
      return nil
    }

    func verdict(at end: ClientStory.End) -> JournalVerdict {
      let waits = waits.all
      let rungs = Dictionary(grouping: waits, by: \.rung).sorted { $0.key < $1.key }.map(\.value).filter {
        $0.count > 1
      }
      let compared = rungs.reduce(0) { $0 + $1.count - 1 } + 1
      guard compared >= Self.comparedMin else {
        return .undecided(
          "\(waits.count == 1 ? "1 wait" : "\(waits.count) waits") after \(kind.rawValue), of which \(rungs.isEmpty ? 0 : compared) can be compared; \(Self.comparedMin) it takes",
          waits.flatMap(\.lines))
      }
      let spread = Self.spread(of: rungs)
      let words =
        "waits after \(kind.rawValue) differ by \(Int(spread.share * 100)) % of their mean of \(Int(spread.meanMs)) ms"
      let lines = rungs.flatMap { $0.flatMap(\.lines) }
      // The deviation that a slow machine may have caused in equal waits.
      let lostMs = rungs.joined().map { Self.lostMs($0, end) }.max() ?? 0
      let noise = Self.noiseMs + lostMs
      if spread.share * spread.meanMs <= Self.noiseMs || spread.share <= Self.variationOfNone {
        return .failed("\(words): all come back at once", lines)
      }
      if spread.meanMs <= Self.shortMs {
        return .undecided("\(words), which are so short that the machine was able to make them differ", lines)
      }
      // With enough noise any waits would fit some rule.
      let isNoisy = lostMs > max(Self.noiseMs, Self.noiseShare * (rungs.joined().map(\.milliseconds).min() ?? 0))
      if let law = Growth.law(of: rungs, noiseMs: noise) {
        guard !isNoisy else {
          return .undecided(
            "\(words), and \(law), of which the machine was slow enough to have made \(Int(lostMs)) ms", lines)
        }
        return .failed("\(words), but \(law): there is no chance in them", lines)
      }
      if spread.share * spread.meanMs <= noise || spread.share - lostMs / max(1, spread.meanMs) <= Self.variationMin,
        lostMs > Self.noiseMs
      {
        return .undecided("\(words), of which the machine was slow enough to have made \(Int(lostMs)) ms", lines)
      }
      if Growth.isMonotone(rungs, noiseMs: noise) {
        if isNoisy {
          return .undecided(
            "\(words), but each is longer than the one before, and the machine was slow: it may have made \(Int(lostMs)) ms",
            lines)
        }
        return .undecided("\(words), but each is longer than the one before, which needs no chance", lines)
      }
      guard spread.share > Self.variationMin else {
        return compared >= Self.comparedToBeSure
          ? .failed("\(words), where a tenth is little", lines)
          : .undecided("\(words), which may be chance; \(Self.comparedToBeSure) that can be compared will tell", lines)
      }
      return .passed(words, lines)
    }

    private static func lostMs(_ wait: ClientStory.Wait, _ end: ClientStory.End) -> Double {
      Double(end.late.lost(from: wait.from, to: wait.to).nanoseconds) / 1e6
    }

    /// Returns the coefficient of variation over all rungs, each relative to its own mean.
    private static func spread(of rungs: [[ClientStory.Wait]]) -> (share: Double, meanMs: Double) {
      var (squares, freedom, sum, count) = (0.0, 0, 0.0, 0)
      for rung in rungs {
        let mean = rung.reduce(0) { $0 + $1.milliseconds } / Double(rung.count)
        for wait in rung where mean > 0 { squares += (wait.milliseconds / mean - 1) * (wait.milliseconds / mean - 1) }
        freedom += rung.count - 1
        sum += mean * Double(rung.count)
        count += rung.count
      }
      return ((squares / Double(max(1, freedom))).squareRoot(), sum / Double(max(1, count)))
    }
  }
}
