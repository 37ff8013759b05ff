import GatewayCore
import GatewayFleet
import GatewayWires

// Refresh tokens in a scenario: the provider's rotation, and how clients share them.

extension RotationPolicy {
  /// Reads the rotation of a scenario's provider.
  init(_ described: Described) throws {
    let rotation = try described.object(["grace_s", "replay", "revokes", "idle_s"])
    self.init()
    try rotation["grace_s"].map { grace = .saturating(seconds: try $0.number(in: 0...86_400)) }
    try rotation["replay"].map { replay = try $0.choice("answer to a replay", Replay.self) }
    try rotation["revokes"].map { revokes = try $0.choice("revocation", Revocation.self) }
    try rotation["idle_s"].map { idle = .saturating(seconds: try $0.number(in: 1...315_360_000)) }
  }
}

extension GrantPlan {
  /// The members of a scenario's client that say how refresh tokens are shared.
  static let keys = ["devices", "tabs", "single_flight", "signed_out"]

  /// Reads those members; nil if there is none of them.
  init?(_ client: DescribedObject) throws {
    guard Self.keys.contains(where: { client[$0] != nil }) else { return nil }
    self.init()
    try client["devices"].map { devices = try $0.integer(in: Self.sharers) }
    try client["tabs"].map { tabs = try $0.integer(in: Self.sharers) }
    try client["single_flight"].map { singleFlight = try $0.choice("single flight", SingleFlight.self) }
    try client["signed_out"].map { signedOut = try $0.choice("way out", SignedOut.self) }
  }
}
