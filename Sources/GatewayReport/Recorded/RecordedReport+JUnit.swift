internal import GatewayCore

extension RecordedReport {
  /// The thresholds as the XML of JUnit, a case for each, and one for that the storm ran to its end as it was meant to. A
  /// storm that has not passed has a case that fails.
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

  /// Why it was no whole storm, whatever its thresholds say; nil if it was one.
  private var shortcoming: String? {
    if let cutShort { return cutShort }
    // What is left is its scenario, which the caveats begin with.
    guard !passes, thresholds.allSatisfy(\.holds) else { return nil }
    return caveats.first ?? "it did not pass"
  }
}
