/// The stability of a fleet, by its recoveries from disturbances.
package enum Verdict: String, Hashable, Sendable {
  /// It recovers from every disturbance that was tried.
  case stable
  /// It recovers from its own disturbance, but another leaves it down, or one loses clients.
  case vulnerable
  /// It stays down after its own disturbance, and is calm without it.
  case metastable
  /// It is not calm even if nothing disturbs it.
  case overloaded
}

/// A share of seeds, and how far it is known.
package struct SeedShare: Hashable, Sendable {
  package let count: Int
  package let of: Int

  package init(_ count: Int, of: Int) {
    self.count = count
    self.of = of
  }

  /// The bounds of the share by Wilson's interval of 95 %; 0...1 if there are no seeds.
  package var interval: ClosedRange<Double> {
    guard of > 0 else { return 0...1 }
    let z = 1.959_963_984_540_054
    let (n, share) = (Double(of), Double(count) / Double(of))
    let middle = share + z * z / (2 * n)
    let half = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
    let whole = 1 + z * z / n
    // The formula reaches the ends but for the last digit.
    let low = count == 0 ? 0 : max(0, (middle - half) / whole)
    let high = count == of ? 1 : min(1, (middle + half) / whole)
    return min(low, high)...max(low, high)
  }
}
