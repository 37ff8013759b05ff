internal import GatewayCore
internal import GatewayIdentity
internal import GatewayRuntime

/// The open sessions of a gateway, whose tokens are checked again.
///
/// `@unchecked Sendable`: its reference, which is weak so that the gateway does not keep itself alive, is set once.
final class LiveSessions: RecheckedSessions, @unchecked Sendable {
  private weak var gateway: Gateway?

  init(of gateway: Gateway) { self.gateway = gateway }

  /// A token that is not active is refused by its server too, so that its revocation need not be kept for longer.
  private static let memory = Duration.seconds(3_600)

  func live(by token: VerifiedToken) async -> Bool {
    await gateway?.hasSession(of: token.user, by: token.fingerprint) ?? false
  }

  func end(_ token: VerifiedToken) async -> Bool {
    guard let gateway else { return true }
    let end = await gateway.tables[0].perform { $0.loop.wallTime } + Self.memory
    let expiresAt = min(token.expiresAt ?? end, end)
    guard let reached = try? await gateway.reach(revoking: .token(token.fingerprint, expiresAt: expiresAt)) else {
      return false
    }
    gateway.log(
      .info, "introspection_inactive",
      [
        .init("user", token.user.rawValue), .init("token_fingerprint", token.fingerprint.description),
        .init("sessions", String(reached.sessions)),
      ])
    return true
  }
}
