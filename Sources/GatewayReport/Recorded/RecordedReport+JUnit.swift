internal import GatewayCore

extension RecordedReport {
  /// The thresholds as the XML of JUnit, a case for each, and one for that the storm ran to its end.
  package var junit: String {
    let time = Duration.milliseconds(Int64(seconds * 1000))
    let end = JUnitSuite.Case(
      "the storm ran to its end", time: time,
      wasInterrupted ? .failed("it was interrupted", details: caveats.joined(separator: "\n")) : .passed)
    let cases = thresholds.map { outcome in
      let message = outcome.row.dropFirst().joined(separator: " ")
      return JUnitSuite.Case(
        outcome.threshold, time: .zero, outcome.holds ? .passed : .failed(message, details: message))
    }
    let kind = dialect.prefix { $0 != "," }
    return JUnitSuite(name: "postern storm \(dialect)", className: "postern.storm.\(kind)", cases: [end] + cases).text
  }
}
