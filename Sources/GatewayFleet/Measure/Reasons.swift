/// Counts of reasons by name. The table is bounded because reasons come from a peer: further ones count as `other`.
package struct Reasons: Hashable, Sendable, Codable {
  /// The maximum number of different reasons.
  package static let differentMax = 64
  /// The maximum length of a reason in characters.
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

  /// The reasons by descending count; equal counts are sorted by name.
  package var sorted: [(reason: String, count: Int)] {
    counts.map { (reason: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
  }
}
