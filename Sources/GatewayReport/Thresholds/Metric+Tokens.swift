internal import GatewayCore
import GatewayFleet

// The work of the token endpoint, with logins and renewals separate, and the knowledge of the tokens' ends.

extension Metric {
  static let tokens =
    calls("provider.login", "calls for a login") { $0.login }
    + calls("provider.refresh", "calls for a renewal") { $0.refresh } + [
      Metric(
        "ends.unknown", .count, "clients whose latest token has no known expiry", better: .lower,
        missing: { _ in .none("no client had a token when the storm ended") }
      ) { result in
        result.tokens.ends.values.reduce(0, +) == 0 ? nil : Double(result.tokens.ends[.unknown] ?? 0)
      }
    ]

  private static func calls(
    _ name: String, _ meaning: String, _ tally: @escaping @Sendable (StormResult.Tokens) -> StormResult.TokenCalls
  ) -> [Metric] {
    let basis = Basis(isThere: { tally($0.tokens).calls > 0 }, otherwise: "no provider was asked for one")
    func count(
      _ part: String, _ meaning: String, better: Better? = .lower,
      _ read: @escaping @Sendable (StormResult.TokenCalls) -> Int
    ) -> Metric {
      Metric("\(name).\(part)", .count, meaning, better: better, over: basis) { Double(read(tally($0.tokens))) }
    }
    return [
      count("calls", meaning, better: nil) { $0.calls },
      count("granted", "\(meaning) that brought a token", better: nil) { $0.granted },
      count("busy", "\(meaning) that were told to come back later") { $0.busy },
      count("refused", "\(meaning) that were refused") { $0.refused.total },
      count("failed", "\(meaning) without an answer, or with one that makes no sense") { $0.failed.total },
      count("given_up", "clients that gave up, of \(meaning)") { $0.givenUp },
      count("same_token", "\(meaning) that brought the previous token once more") { $0.sameToken },
    ]
  }
}
