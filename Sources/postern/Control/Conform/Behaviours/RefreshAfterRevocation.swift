import GatewayKit

extension Behaviour {
  static let refreshAfterRevocation = Behaviour(
    name: "refresh-after-revocation", covers: ["V1"],
    sentence:
      "The client gets one new token, and keeps its connection, when it is asked because its own was revoked.",
    settings: impatient, needs: .revocationRequest,
    returning: Returning(expected: renewedByReturning),
    script: { scene in
      try await scene.seeLogin()
      try await scene.revoke()
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
