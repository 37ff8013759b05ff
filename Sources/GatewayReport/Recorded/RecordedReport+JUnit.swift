internal import GatewayCore

extension RecordedReport {
  /// The thresholds in the XML of JUnit: a case for each, and one for a complete run of the storm. A storm that has not
  /// passed has a failing case.
  package var junit: String {
    let time = Duration.milliseconds(Int64(seconds * 1000))
    let end = JUnitSuite.Case(
      "the storm ran to its end", time: time,
      shortcoming.map { .failed($0, details: caveats.joined(separator: "\n")) } ?? .passed)
    let cases = thresholds.map { outcome in
      let message = outcome.row.dropFirst().joined(separator: " ")
      return JUnitSuite.Case(
        outcome.threshold, time: .zero, outcome.holds ? .passed : .failed(message, details: message))
    }
    let kind = dialect.prefix { $0 != "," }
    return JUnitSuite(name: "postern storm \(dialect)", className: "postern.storm.\(kind)", cases: [end] + cases).text
  }

  /// Why the storm is incomplete, regardless of its thresholds; nil if it is complete.
  private var shortcoming: String? {
    if let cutShort { return cutShort }
    // The only reason left is its scenario, whose failures come first in the caveats.
    guard !passes, thresholds.allSatisfy(\.holds) else { return nil }
    return caveats.first ?? "it did not pass"
  }
}
