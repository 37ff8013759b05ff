internal import GatewayCore

/// The laws by which waits of one rung may grow without randomness, e.g. each twice as long as the one before, up to a
/// maximum.
enum Growth {
  /// The maximum relative difference of factors or steps that count as equal.
  private static let tolerance = 0.05
  private static let comparedMin = 4

  /// Returns the law by which the waits grow, as text; nil if there is none.
  static func law(of rungs: [[ClientStory.Wait]], noiseMs: Double) -> String? {
    guard isMonotone(rungs, noiseMs: noiseMs) else { return nil }
    guard let waits = rungs.max(by: { $0.count < $1.count })?.map(\.milliseconds) else { return nil }
    let growing = growing(waits, noiseMs: noiseMs)
    guard growing.count >= comparedMin, let first = growing.first, first > 0 else { return nil }
    let steps = zip(growing.dropFirst(), growing).map { $0 - $1 }
    if isConstant(steps, within: 2 * noiseMs) { return "each is as much longer than the one before" }
    let factors = zip(growing.dropFirst(), growing).map { $0 / max($1, 1) }
    // The factor of short waits is inaccurate.
    if isConstant(factors, within: 2 * noiseMs / max(first, 1)) {
      return "each is as many times as long as the one before"
    }
    let bends = zip(steps.dropFirst(), steps).map { $0 - $1 }
    if bends.count >= comparedMin - 1, isConstant(bends, within: 4 * noiseMs) { return "they grow by a rule" }
    return nil
  }

  /// Returns whether each rung's waits only grow, which random waits need not do.
  static func isMonotone(_ rungs: [[ClientStory.Wait]], noiseMs: Double) -> Bool {
    guard rungs.contains(where: { $0.count >= comparedMin }) else { return false }
    return rungs.allSatisfy { rung in
      let waits = rung.map(\.milliseconds)
      return zip(waits.dropFirst(), waits).allSatisfy { $0 >= $1 - noiseMs }
    }
  }

  /// Returns the waits up to the first of maximum length, which may repeat.
  private static func growing(_ waits: [Double], noiseMs: Double) -> [Double] {
    guard let longest = waits.max() else { return [] }
    let end = waits.firstIndex { $0 >= longest - noiseMs } ?? waits.endIndex - 1
    return Array(waits[...end])
  }

  private static func isConstant(_ values: [Double], within noise: Double) -> Bool {
    guard let least = values.min(), let most = values.max() else { return false }
    return most - least <= max(noise, tolerance * abs(most))
  }
}
