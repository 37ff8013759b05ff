import GatewayKit

extension Behaviour {
  static let refreshAfterRevocation = Behaviour(
    name: "refresh-after-revocation", covers: ["V1"],
    sentence:
      "Asked for another token since its own was revoked, the client gets one new token, and keeps its connection.",
    settings: impatient, needs: .revocationRequest,
    returning: Returning(expected: renewedByReturning),
    script: { scene in
      try await scene.seeLogin()
      try await scene.revoke()
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
