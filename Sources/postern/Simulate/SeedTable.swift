import GatewayFleet
import GatewayReport

/// A table of a scenario's results with several seeds, one line for each.
struct SeedTable {
  private static let columns = [
    "lost", "provider.calls", "provider.amplification", "provider.refresh_peak_10s", "connected.dip", "recovered.after",
  ]

  private let reports: [StormReport]

  init(_ reports: [StormReport]) {
    self.reports = reports
  }

  var text: String {
    let head = ["seed"] + Self.columns
    let rows = reports.map { report in
      [String(report.plan.seed)] + Self.columns.map { report.figure($0) }
    }
    return (["Seeds"] + TextTable.columns([head] + rows)).joined(separator: "\n")
  }
}
