import GatewayKit

extension Behaviour {
  static let keysWithdrawn = Behaviour(
    name: "keys-withdrawn", covers: ["P8", "X15"],
    sentence:
      "The client gets a new token, and keeps its connection, when the key of its own is withdrawn.",
    settings: impatient, needs: .revocationRequest,
    returning: Returning(
      script: { scene in
        let first = try await scene.seeLogin()
        try await scene.fail("withdraw_keys")
        try await scene.seeRenewal(after: first, or: "the client did not come back within 15 s")
      }, expected: renewedByReturning),
    script: { scene in
      try await scene.seeLogin()
      try await scene.fail("withdraw_keys")
      try await scene.see("refreshed", or: "the client was not refreshed within 15 s")
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
