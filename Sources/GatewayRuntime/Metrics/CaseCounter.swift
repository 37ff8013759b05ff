package import GatewayCore

/// A label with a few values, numbered from 0, e.g. the kind of a user.
package protocol CountedCase: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// Its place among all cases.
  var place: Int { get }
}

/// A count by a label with a few values.
///
/// Events of every refresh are counted by it: a position in an array is found without a hash.
package struct CaseCounter<Label: CountedCase>: Hashable, Sendable {
  private var counts = [UInt64](repeating: 0, count: Label.allCases.count)

  package init() {}

  package mutating func add(_ label: Label) { counts[label.place] += 1 }

  package var total: UInt64 { counts.reduce(0, +) }

  /// The labels that have occurred, with their counts.
  package var values: [Label: UInt64] {
    Label.allCases.reduce(into: [:]) { if counts[$1.place] > 0 { $0[$1] = counts[$1.place] } }
  }

  /// The counts of all labels by their names; 0 for a label that has not occurred.
  package var named: [String: UInt64] {
    Label.allCases.reduce(into: [:]) { $0[$1.rawValue] = counts[$1.place] }
  }

  mutating func merge(_ other: CaseCounter) {
    for place in counts.indices { counts[place] += other.counts[place] }
  }
}

extension UserKind: CountedCase {
  package var place: Int {
    switch self {
    case .regular: 0
    case .guest: 1
    case .anonymous: 2
    }
  }
}

extension RefreshCause: CountedCase {
  package var place: Int {
    switch self {
    case .expiry: 0
    case .revocation: 1
    case .request: 2
    case .sessionEnd: 3
    }
  }
}

extension RefreshOrigin: CountedCase {
  package var place: Int { self == .asked ? 0 : 1 }
}
