/// Counts of reasons by their names, 12 of `http_503` for instance. Bounded, since reasons come from a peer: those past
/// the limit count as `other`.
package struct Reasons: Hashable, Sendable, Codable {
  /// At most this many different ones.
  package static let differentMax = 64
  /// A reason is cut to this many characters.
  static let lengthMax = 80

  package private(set) var counts: [String: Int] = [:]

  package init() {}

  package init(from decoder: any Decoder) throws {
    counts = try decoder.singleValueContainer().decode([String: Int].self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(counts)
  }

  package mutating func count(_ reason: String, _ number: Int = 1) {
    let reason = String(reason.prefix(Self.lengthMax))
    let isKnown = counts[reason] != nil || counts.count < Self.differentMax
    counts[isKnown ? reason : "other", default: 0] += number
  }

  package mutating func merge(_ other: Reasons) {
    for (reason, number) in other.sorted { count(reason, number) }
  }

  package var total: Int { counts.values.reduce(0, +) }
  package subscript(reason: String) -> Int { counts[reason] ?? 0 }

  /// The most frequent first, equal ones by name.
  package var sorted: [(reason: String, count: Int)] {
    counts.map { (reason: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
  }
}
