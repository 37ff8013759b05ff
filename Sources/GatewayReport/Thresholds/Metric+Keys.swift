internal import GatewayCore
import GatewayFleet

// The keys that the storm served to the gateway, and how the gateway judged tokens of them.

extension Metric {
  private static let fetched = Basis(
    isThere: { ($0.keys?.requests ?? 0) > 0 },
    otherwise: "the storm served no keys (--serve-jwks), or nobody asked for them")
  private static let rotated = Basis(
    isThere: { ($0.keys?.rotations ?? 0) > 0 && ($0.keys?.requests ?? 0) > 0 },
    otherwise: "no key was rotated (--jwks-rotate), or nobody asked for the keys")
  private static let asked = Basis(
    isThere: { ($0.keys?.introspections ?? 0) > 0 },
    otherwise: "the storm served no introspection (--serve-introspection), or nobody asked")
  private static let judged = Basis(
    isThere: { $0.keys?.valid.isJudged ?? false },
    otherwise: "the storm served no keys (--serve-jwks), or the gateway judged no good token")
  private static let forged = Basis(
    isThere: { $0.keys?.forged.isJudged ?? false },
    otherwise: "no client had a forged token (--forge), or the gateway judged none")

  static let keys = [
    key("jwks.requests", "requests for the keys that the storm serves", over: fetched) { $0.requests },
    key("jwks.limited", "requests for the keys that were answered with 429", over: fetched) { $0.limited },
    key("jwks.per_rotation", "the most requests for the keys while the storm signed with one key", over: rotated) {
      $0.mostPerKey
    },
    key(
      "jwks.after_unknown_kid", "requests for the keys after a token was shown whose key no answer had had",
      over: fetched
    ) { $0.afterUnknownKid },
    Metric(
      "jwks.rotation_to_accepted", .duration,
      "the longest time from a rotation to the first accepted token of the new key", better: .lower, over: rotated,
      missing: { result in
        let keys = result.keys ?? KeyFigures()
        return keys.rotationsShown > 0
          ? .never("a new key signed tokens, and the gateway accepted none of them")
          : .none("no token of a new key was shown")
      }
    ) { result in
      guard let keys = result.keys, keys.rotationsShown == keys.rotationsAccepted else { return nil }
      return keys.longestToAccepted
    },
    key("introspection.requests", "questions about opaque tokens, which the storm answers", over: asked) {
      $0.introspections
    },
    key("refused.valid", "good tokens that the gateway refused, of a storm that is their issuer", over: judged) {
      $0.valid.refused
    },
    key("forged.accepted", "forged tokens that the gateway accepted", over: forged) { $0.forged.accepted },
    key("forged.refused", "forged tokens that the gateway refused", over: forged, better: nil) { $0.forged.refused },
  ]

  private static func key(
    _ name: String, _ meaning: String, over basis: Basis, better: Better? = .lower,
    _ read: @escaping @Sendable (KeyFigures) -> Int
  ) -> Metric {
    Metric(name, .count, meaning, better: better, over: basis) { $0.keys.map { Double(read($0)) } }
  }
}

extension KeyFigures.Tokens {
  fileprivate var isJudged: Bool { accepted + refused > 0 }
}
