/// Counts of a storm's events in each second from its start. Bounded: events after the last second count in the last
/// one.
package struct StormSeries: Hashable, Sendable, Codable {
  /// Eight days, for tokens that live a week and the wave after it.
  package static let secondsMax = 691_200
  /// The maximum count, so that no sum of decoded numbers overflows.
  static let numberMax = 1 << 40

  /// Returns a decoded number, limited to the range of possible counts.
  static func believed(_ number: Int) -> Int { min(max(0, number), numberMax) }

  /// The number of events of one kind in each second.
  package struct Counts: Hashable, Sendable, Codable {
    package private(set) var perSecond: [Int] = []

    mutating func count(_ number: Int = 1, atSecond second: Int) {
      let second = min(max(0, second), StormSeries.secondsMax - 1)
      while perSecond.count <= second { perSecond.append(0) }
      perSecond[second] = min(perSecond[second] + number, StormSeries.numberMax)
    }

    mutating func raise(to level: Int, atSecond second: Int) {
      let second = min(max(0, second), StormSeries.secondsMax - 1)
      if level > self[second] { count(level - self[second], atSecond: second) }
    }

    mutating func merge(_ other: Counts) {
      for (second, number) in other.perSecond.enumerated() where number > 0 { count(number, atSecond: second) }
    }

    package init() {}

    package init(from decoder: any Decoder) throws {
      perSecond = try decoder.singleValueContainer().decode([Int].self).prefix(StormSeries.secondsMax)
        .map(StormSeries.believed)
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(perSecond)
    }

    /// The number of events in a second; 0 outside of the counted range.
    package subscript(second: Int) -> Int {
      perSecond.indices.contains(second) ? perSecond[second] : 0
    }

    package var total: Int { perSecond.reduce(0, +) }
    package var peak: Int { perSecond.max() ?? 0 }
  }

  package var connects = Counts()
  package var asked = Counts()
  package var accepted = Counts()
  /// Connections that ended before the storm ended them.
  package var losses = Counts()
  /// Logged-in sockets that ended, except by the storm's own closes at its end.
  package var ends = Counts()
  /// Requests to the token provider at their beginning; of these, those for logins.
  package var providerCalls = Counts()
  package var providerLogins = Counts()
  /// Requests to the token provider that were answered, refused or given up.
  package var providerReturns = Counts()
  /// The maximum number of concurrent requests to the token provider in each second in which one began; the sum over
  /// loops.
  package var providerPeaks = Counts()

  /// Tokens of the provider that reached a client that waited.
  package var providerUseful = Counts()

  package init() {}

  /// Decodes a series; kinds that an older file lacks are empty.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func counts(_ key: CodingKeys) throws -> Counts {
      try container.decodeIfPresent(Counts.self, forKey: key) ?? .init()
    }
    connects = try counts(.connects)
    asked = try counts(.asked)
    accepted = try counts(.accepted)
    losses = try counts(.losses)
    ends = try counts(.ends)
    providerCalls = try counts(.providerCalls)
    providerLogins = try counts(.providerLogins)
    providerReturns = try counts(.providerReturns)
    providerPeaks = try counts(.providerPeaks)
    providerUseful = try counts(.providerUseful)
  }

  private static var columns: [WritableKeyPath<StormSeries, Counts>] {
    [
      \.connects, \.asked, \.accepted, \.losses, \.ends, \.providerCalls, \.providerLogins, \.providerReturns,
      \.providerPeaks, \.providerUseful,
    ]
  }

  package mutating func merge(_ other: StormSeries) {
    for column in Self.columns { self[keyPath: column].merge(other[keyPath: column]) }
  }

  /// The number of seconds with counts.
  package var seconds: Int {
    Self.columns.map { self[keyPath: $0].perSecond.count }.max() ?? 0
  }

  /// The number of logged-in clients at the end of each second.
  package var connected: [Int] { connected(seconds: seconds) }

  /// Returns the same for a storm that lasted that many seconds.
  package func connected(seconds: Int) -> [Int] { balance(connects, ends, seconds: seconds) }

  /// The maximum number of concurrent requests to the provider in each second.
  package var providerInFlight: [Int] {
    balance(providerCalls, providerReturns, seconds: seconds).enumerated().map {
      max($0.element, providerPeaks[$0.offset])
    }
  }

  /// Requests to the token provider, at their beginning, that answer refresh requests.
  package var providerRefreshes: [Int] {
    (0..<providerCalls.perSecond.count).map { providerCalls[$0] - providerLogins[$0] }
  }

  private func balance(_ more: Counts, _ less: Counts, seconds: Int) -> [Int] {
    var level = 0
    return (0..<seconds).map { second in
      level += more[second] - less[second]
      return level
    }
  }
}
