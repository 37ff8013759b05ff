internal import GatewayCore
import GatewayFleet

// Devices with rotating refresh tokens, and what the provider counted.

extension Metric {
  private static let rotating = Basis(
    isThere: { ($0.signOuts?.devices ?? 0) > 0 }, otherwise: "no device had a refresh token that rotates")

  static let signOuts = [
    count("signed_out", "devices whose refresh token was refused: a person has to log in") { $0.total },
    Metric(
      "signed_out.share", .share, "signed-out devices, as a share of the devices that had a refresh token",
      better: .lower,
      over: rotating
    ) { result in result.signOuts.flatMap { share(of: $0.total, in: $0.devices) } },
    count("signed_out.lost_reply", "signed-out devices whose refresh token had been shown before, without an answer") {
      $0.causes[.lostReply] ?? 0
    },
    count("signed_out.race", "signed-out devices whose refresh token another tab had shown") { $0.causes[.race] ?? 0 },
    provider("provider.replays", "refresh tokens that were shown again") { $0.replays },
    provider("provider.replays.forgiven", "refresh tokens that were shown again and still brought a token") {
      $0.forgiven
    },
    provider("provider.families_revoked", "logins that ended because a refresh token was taken for stolen") {
      $0.familiesRevoked
    },
  ]

  private static func count(
    _ name: String, _ meaning: String, _ read: @escaping @Sendable (SignOutTally) -> Int
  ) -> Metric {
    Metric(name, .count, meaning, better: .lower, over: rotating) { $0.signOuts.map { Double(read($0)) } }
  }

  private static func provider(
    _ name: String, _ meaning: String, _ read: @escaping @Sendable (RotationFigures) -> Int
  ) -> Metric {
    Metric(
      name, .count, meaning, better: .lower, over: rotating,
      missing: { _ in .unmeasurable("only a simulated world sees the provider from inside") }
    ) { $0.rotation.map { Double(read($0)) } }
  }
}
