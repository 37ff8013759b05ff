internal import GatewayCore

/// Counts of a storm's events in bins of one width, fine enough to resolve a wave of 130 ms. Bounded: events after the
/// last bin count in the last one.
package struct StormBins: Hashable, Sendable {
  /// The maximum number of bins; bins of one second reach as far as a ``StormSeries``.
  package static let countMax = StormSeries.secondsMax
  /// The maximum number of finer bins that a storm may need; beyond it, the bins are wider.
  private static let fineMax: Int64 = 86_400

  /// The events of one kind in each bin.
  package struct Counts: Hashable, Sendable {
    package private(set) var perBin: [Int] = []

    mutating func count(_ number: Int = 1, inBin bin: Int) {
      let bin = min(max(0, bin), StormBins.countMax - 1)
      while perBin.count <= bin { perBin.append(0) }
      perBin[bin] = min(perBin[bin] + number, StormSeries.numberMax)
    }

    package mutating func merge(_ other: Counts) {
      for (bin, number) in other.perBin.enumerated() where number > 0 { count(number, inBin: bin) }
    }

    /// The number of events in a bin; 0 outside of the counted range.
    package subscript(bin: Int) -> Int { perBin.indices.contains(bin) ? perBin[bin] : 0 }

    package var total: Int { perBin.reduce(0, +) }

    /// Returns the maximum sum over `width` consecutive bins.
    func peak(overBins width: Int) -> Int {
      var sum = 0
      var peak = 0
      for (bin, number) in perBin.enumerated() {
        sum += number
        if bin >= width { sum -= perBin[bin - width] }
        peak = max(peak, sum)
      }
      return peak
    }

    /// Returns the minimum number of consecutive bins that hold `number` events; nil if there are fewer events.
    package func shortest(for number: Int) -> Int? {
      guard number > 0 else { return nil }
      var shortest: Int?
      var first = 0
      var sum = 0
      for (bin, count) in perBin.enumerated() {
        sum += count
        while sum - perBin[first] >= number {
          sum -= perBin[first]
          first += 1
        }
        if sum >= number { shortest = min(shortest ?? .max, bin - first + 1) }
      }
      return shortest
    }

    /// Returns the bin in which that share (0...1) of all events is reached; nil if there are none.
    package func bin(ofShare share: Double) -> Int? {
      let rank = max(1, Int((Double(total) * share).rounded(.up)))
      var seen = 0
      for (bin, number) in perBin.enumerated() {
        seen += number
        if seen >= rank { return bin }
      }
      return nil
    }
  }

  /// The width of a bin.
  package private(set) var milliseconds: Int
  package var logins = Counts()
  package var asked = Counts()
  package var accepted = Counts()
  /// Connections that ended before the storm ended them.
  package var losses = Counts()
  /// Clients that came back after that.
  package var returned = Counts()
  /// Requests to the token provider at their beginning: for logins, and to answer refresh requests.
  package var providerLogins = Counts()
  package var providerRefreshes = Counts()
  /// Tokens that the provider gave for refreshes, at their arrival.
  package var providerGrants = Counts()

  /// Creates bins for a storm of at most `length`: 10 ms wide up to 14 minutes, 100 ms up to 2.4 hours, else 1 s.
  package init(length: Duration = .zero) {
    milliseconds = [10, 100].first { length.milliseconds <= Self.fineMax * Int64($0) } ?? 1000
  }

  static var columns: [(name: String, path: WritableKeyPath<StormBins, Counts>)] {
    [
      ("logins", \.logins), ("asked", \.asked), ("accepted", \.accepted), ("losses", \.losses),
      ("returned", \.returned), ("providerLogins", \.providerLogins), ("providerRefreshes", \.providerRefreshes),
      ("providerGrants", \.providerGrants),
    ]
  }

  /// Adds the counts of another part of the same storm.
  package mutating func merge(_ other: StormBins) {
    if Self.columns.allSatisfy({ self[keyPath: $0.path].perBin.isEmpty }) { milliseconds = other.milliseconds }
    for column in Self.columns { self[keyPath: column.path].merge(other[keyPath: column.path]) }
  }

  /// Returns the counts since `earlier`, an earlier state of these bins.
  func since(_ earlier: StormBins) -> StormBins {
    var part = StormBins()
    part.milliseconds = milliseconds
    for column in Self.columns {
      let old = earlier[keyPath: column.path]
      for (bin, number) in self[keyPath: column.path].perBin.enumerated() where number > old[bin] {
        part[keyPath: column.path].count(number - old[bin], inBin: bin)
      }
    }
    return part
  }

  /// Returns the bin of an instant, counted from the storm's start.
  func bin(at elapsed: Duration) -> Int {
    Int(clamping: elapsed.nanoseconds / (Int64(milliseconds) * 1_000_000))
  }

  /// Returns the number of logged-in clients at the end of each bin of a storm that lasted that many seconds.
  func connected(until seconds: Double) -> [Int] {
    let length = min(seconds * 1000 / Double(milliseconds), Double(Self.countMax))
    var level = 0
    return (0..<max(logins.perBin.count, losses.perBin.count, Int(length))).map { bin in
      level += logins[bin] - losses[bin]
      return level
    }
  }

  /// Returns the number of events in each second since the start.
  package func perSecond(_ kind: KeyPath<StormBins, Counts>) -> [Int] {
    let perBin = self[keyPath: kind].perBin
    let width = max(1, 1000 / milliseconds)
    return stride(from: 0, to: perBin.count, by: width).map { perBin[$0..<min($0 + width, perBin.count)].reduce(0, +) }
  }

  /// Returns the maximum number of events in any stretch of that length; nil if the bins are wider.
  package func peak(_ counts: Counts, over length: Duration) -> Int? {
    let width = Int(clamping: length.milliseconds) / milliseconds
    return width < 1 ? nil : counts.peak(overBins: width)
  }
}

extension StormBins: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let width = Name(stringValue: "binMs")

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    self.init()
    milliseconds = min(max(1, try container.decode(Int.self, forKey: Self.width)), 1000)
    for column in Self.columns {
      // Older files may lack a kind that is counted today.
      let pairs = try container.decodeIfPresent([[Int]].self, forKey: Name(stringValue: column.name)) ?? []
      for pair in pairs where pair.count == 2 {
        self[keyPath: column.path].count(StormSeries.believed(pair[1]), inBin: pair[0])
      }
    }
  }

  /// Encodes each kind as pairs of a bin's number and its count, without empty bins.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    try container.encode(milliseconds, forKey: Self.width)
    for column in Self.columns {
      let filled = self[keyPath: column.path].perBin.enumerated().filter { $0.element > 0 }
      try container.encode(filled.map { [$0.offset, $0.element] }, forKey: Name(stringValue: column.name))
    }
  }
}
