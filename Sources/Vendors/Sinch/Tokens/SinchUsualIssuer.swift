internal import GatewayCore
internal import GatewayTokens

/// An issuer of the first application's registration tokens, with its current secret.
struct SinchUsualIssuer: TokenIssuer {
  private let first: SinchApplication
  private let applications: SinchApplications
  private let policy: SinchTokenPolicy
  private let secrets: Secrets

  init(first: SinchApplication, of applications: SinchApplications, policy: SinchTokenPolicy, drawing secrets: Secrets)
  {
    self.first = first
    self.applications = applications
    self.policy = policy
    self.secrets = secrets
  }

  func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    let application = applications[first.key] ?? first
    let issuer = SinchTokenIssuer(
      application: application.key, secret: application.secrets[0], policy: policy, drawing: secrets)
    return issuer.mint(user: user, kind: kind, issuedAt: issuedAt, expiresAt: expiresAt, calls: calls)
  }
}
