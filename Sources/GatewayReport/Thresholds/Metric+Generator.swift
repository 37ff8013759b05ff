internal import GatewayCore
import GatewayFleet

// The lateness of the storm itself. It is unrelated to the gateway, and does not decide between two runs.

extension Metric {
  static let generators: [Metric] =
    [("p50", 0.5), ("p99", 0.99), ("max", 1)].map { label, share in
      Metric(
        "generator.late.\(label)", .duration,
        "how late the storm's own loops were, \(share == 1 ? "at most" : label)", missing: unwatched
      ) { result in
        guard let late = result.lateness?.late else { return nil }
        return (share == 1 ? late.maximum : late.quantile(share))?.inSeconds
      }
    } + [
      Metric(
        "generator.cpu_share", .share,
        "the CPU time of the storm's loops, as a share of the processors that they may use",
        missing: unwatched
      ) { $0.generatorShare }
    ]

  @Sendable private static func unwatched(_ result: StormResult) -> Absence {
    .unmeasurable("only a storm over sockets has a processor that it may lack")
  }
}
