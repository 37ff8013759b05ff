import GatewayKit

extension Behaviour {
  static let refreshAllDay = Behaviour(
    name: "refresh-all-day", covers: ["E1", "X11"],
    sentence: "The client refreshes for a whole day, once for each token, on one connection.",
    settings: [JSONMember("token-life", "1h")], isFrozen: true,
    returning: Returning(
      script: { scene in
        var last = try await scene.seeLogin()
        for _ in 0..<3 {
          try await scene.advance(by: .seconds(3_660))
          last = try await scene.seeRenewal(
            after: last, within: .seconds(22), or: "the client did not come back within 22 s of its token's end")
        }
      }, expected: renewedByReturning),
    timed: Timed(
      script: { scene in
        var last = try await scene.seeLogin()
        for _ in 0..<3 {
          last = try await scene.see(
            "refreshed", after: last, within: scene.firstLife + .seconds(25),
            or: "the client did not renew its token before its end")
        }
        try await scene.mintLongLives()
      }, expected: renewedOnTimer),
    script: { scene in
      try await scene.seeLogin()
      try await scene.advance(by: .seconds(86_400))
    },
    expected: [.refreshedInTime, .keepsConnection, .oneProviderCallPerExpiry, .singleFlight])
}
