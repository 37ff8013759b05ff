internal import GatewayCore
import GatewayFleet

extension StormReport {
  /// The report as lines of text for a terminal.
  package var table: [String] {
    let whose = fleets.isEmpty ? dialectText : "\(fleets.count) fleets"
    var lines = ["Storm of \(Figures.count(plan.clients)) clients on \(gateway), \(whose), seed \(plan.seed)"]
    lines += caveats.map { "! \($0)" }
    if !fleets.isEmpty { lines += ["", "Fleets"] + TextTable.columns([fleetHead] + fleetRows) }
    lines += ["", "Connections"] + connections
    lines += ["", "Refreshes"] + refreshes
    if hasReturns { lines += ["", "Coming back"] + returnLines }
    if !phaseRows.isEmpty { lines += ["", "Phases"] + TextTable.columns([Self.phaseHead] + phaseRows) }
    lines += ["", "Clients by behaviour"] + byBehaviour
    lines += ["", "Token provider"] + providerLines
    if !keyRows.isEmpty { lines += ["", "Keys that the storm served"] + TextTable.aligned(keyRows) }
    if forecast != nil {
      lines +=
        ["", "What jitter would have changed"] + TextTable.aligned(forecastRows) + forecastNotes.map { "  \($0)" }
    }
    lines += ["", "Latency"] + latencyLines
    lines += ["", "Processes"] + processLines
    lines += ["", "Settings"] + TextTable.aligned(fleets.isEmpty ? settingRows : settingsOfFleets)
    lines += ["", "Columns"] + TextTable.aligned(columns.map { [$0.name, $0.meaning] })
    if !thresholds.isEmpty { lines += ["", "Thresholds"] + thresholdLines }
    return lines
  }

  private var connections: [String] {
    let connects = result.connects
    return TextTable.aligned(
      arrivalRows + [
        ["begun", Figures.count(connects.attempted)],
        ["accepted", Figures.count(connects.accepted), "peak \(figure("connects.peak"))/s"],
      ] + Self.rows("failed", connects.failed) + Self.rows("cut off", result.disconnects)
        + Self.rows("errors", result.errors))
  }

  private var refreshes: [String] {
    let refreshes = result.refreshes
    return TextTable.aligned(
      [
        ["asked", Figures.count(refreshes.asked)],
        ["answered", Figures.count(refreshes.answered)],
        [
          "accepted", Figures.count(refreshes.accepted),
          "peak \(figure("refresh.peak"))/s, \(figure("refresh.peak_100ms")) in 100 ms, in \(figure("refresh.length"))",
        ],
        [
          "peak to mean", figure("refresh.peak_to_mean"),
          "over 100 ms \(figure("refresh.peak_to_mean_100ms")); 1 is flat over the \(figure("refresh.given")) given",
        ],
      ] + (waveSentence.map { [["the wave", $0]] } ?? []) + marginRows + Self.rows("refused", refreshes.refused)
        + Self.rows("given up", refreshes.givenUp) + [
          ["timed out", Figures.count(refreshes.timedOut)],
          ["refreshed", figure("refreshed.share"), "of those that should be, and stayed"],
          ["50 / 95 / 99 % after", "\(figure("time_to_50")) / \(figure("time_to_95")) / \(figure("time_to_99"))"],
        ] + recoveryRows)
  }

  /// The recovery of the fleet, if any refresh was requested.
  private var recoveryRows: [[String]] {
    guard result.refreshes.asked > 0 else { return [] }
    return [["recovered after", figure("recovered.after"), "\(figure("connected.dip")) connected at the lowest"]]
  }

  /// The remaining life of tokens at their renewal, if their ends are known.
  private var marginRows: [[String]] {
    let tokens = result.tokens
    let margins = tokens.margin(percent: 0).map { _ in
      ["life left", figure("margin.min"), "at the least when a renewal was accepted; 99 % had \(figure("margin.p1"))"]
    }
    let ends = tokens.endsKnown.map { known in
      ["ended early", figure("ends.early"), "of \(Figures.count(known)) connections whose token's end was known"]
    }
    return [margins, ends].compactMap { $0 }
  }

  private var returnLines: [String] {
    let returns = result.returns
    return TextTable.aligned(
      [
        ["connections ended", Figures.count(returns.interrupted)],
        ["clients back", Figures.count(returns.returned)],
        [
          "attempts", Figures.count(returns.attempts),
          "\(figure("return.attempts_per_client")) per client, longest \(returns.attemptsMax)",
        ],
      ] + Self.rows("refused", returns.refused) + [
        ["with the old token", Figures.count(returns.refusedWithOldToken)]
      ] + Self.rows("failed", returns.failed) + [
        [
          "without a connection",
          "p50 \(figure("outage.p50")), p99 \(figure("outage.p99")), longest \(figure("outage.max"))",
        ]
      ])
  }

  private var byBehaviour: [String] {
    TextTable.columns([[""] + columns.map(\.name)] + behaviourRows)
  }

  private var providerLines: [String] {
    let provider = result.provider
    guard provider.calls > 0 else {
      return TextTable.aligned([["minted locally", Figures.count(provider.mintedLocally)]])
    }
    return TextTable.aligned(
      [
        [
          "calls", Figures.count(provider.calls),
          "\(plan.processes * plan.loops > 1 ? "at most " : "")\(figure("provider.in_flight")) at once; peak \(figure("provider.login_peak"))/s for logins, "
            + "\(figure("provider.refresh_peak"))/s for refreshes",
        ],
        ["granted", Figures.count(provider.granted), "\(Figures.count(provider.wasted)) of them for nobody any more"],
      ] + Self.rows("refused", provider.refused) + [
        ["unanswered", Figures.count(result.unansweredCalls), "under way when the storm ended"],
        ["calls per expiry", figure("provider.calls_per_expiry"), "longest \(provider.longestRound)"],
        ["calls per token", figure("retry.amplification")],
        [
          "per token of use", figure("provider.amplification"),
          "\(figure("provider.goodput")) reached somebody who waited",
        ],
      ] + (endsText.map { [["ends told by", $0]] } ?? []) + (signOutRow.map { [$0] } ?? []))
      + TextTable.columns([Self.tokenHead] + tokenRows)
      + (callRows.isEmpty ? [] : TextTable.columns([Self.callHead] + callRows))
  }

  private var latencyLines: [String] {
    TextTable.columns(
      [["", "count", "p50", "p90", "p99", "max"]]
        + latencies.map { name, histogram in
          [name, Figures.count(Int(histogram.count))]
            + [histogram.quantile(0.5), histogram.quantile(0.9), histogram.quantile(0.99), histogram.maximum].map {
              $0.map(Figures.duration) ?? "–"
            }
        })
  }

  private var processLines: [String] {
    let share = result.lateness.map { _ in "used \(figure("generator.cpu_share")) of its processors" }
    let storm = [["storm", figure("storm.cpu_per_connect"), figure("storm.cpu_per_refresh"), share ?? ""]]
    let gateway = [
      [
        "gateway", figure("gateway.cpu_per_connect"), figure("gateway.cpu_per_refresh"),
        explained("gateway.bytes_per_connection"),
      ]
    ]
    return TextTable.aligned(
      [["", "CPU per login", "CPU per refresh", "memory per connection"]] + (result.probes.isEmpty ? [] : gateway)
        + storm)
  }

  private var thresholdLines: [String] {
    TextTable.aligned(thresholds.map(\.row))
  }

  /// Returns a row with a total and its parts by reason.
  private static func rows(_ name: String, _ reasons: Reasons) -> [[String]] {
    guard reasons.total > 0 else { return [] }
    return [
      [
        name, Figures.count(reasons.total),
        reasons.sorted.map { "\($0.reason) \(Figures.count($0.count))" }
          .joined(separator: ", "),
      ]
    ]
  }
}
