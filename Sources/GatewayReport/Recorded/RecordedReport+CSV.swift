import GatewayFleet

extension RecordedReport {
  /// The series as comma-separated values (RFC 4180): a line for each second, and a header with units. The columns of each
  /// fleet of a storm that has several follow those of the whole.
  package var csv: String {
    let seconds = max(series.seconds, Int(seconds.rounded(.up)))
    let columns =
      [(name: "start of the second (s)", values: Array(0..<seconds))] + columns(seconds: seconds)
      + fleets.flatMap { fleet in
        fleet.report.columns(seconds: seconds).map { (name: "\(fleet.name): \($0.name)", values: $0.values) }
      }
    let header = columns.map(\.name).joined(separator: ",")
    let lines = (0..<seconds).map { second in
      columns.map { $0.values.indices.contains(second) ? "\($0.values[second])" : "0" }.joined(separator: ",")
    }
    return ([header] + lines).map { $0 + "\r\n" }.joined()
  }

  private func columns(seconds: Int) -> [(name: String, values: [Int])] {
    [
      ("logins (1/s)", series.connects.perSecond),
      ("connected at its end (clients)", series.connected(seconds: seconds)),
      ("refreshes asked (1/s)", series.asked.perSecond),
      ("refreshes accepted (1/s)", series.accepted.perSecond),
      ("cut off (1/s)", series.losses.perSecond),
      ("provider calls for logins (1/s)", series.providerLogins.perSecond),
      ("provider calls for refreshes (1/s)", series.providerRefreshes),
      ("provider answers (1/s)", series.providerReturns.perSecond),
      ("provider calls in flight (calls)", series.providerInFlight),
    ]
  }
}
