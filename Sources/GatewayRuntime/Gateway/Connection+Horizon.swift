internal import GatewayCore

// The facts about a connection that the expiry horizon reads.

extension Connection {
  /// Has the horizon know when the session's token ends, if that is another time than before.
  func countExpiry() {
    let expiry = standing.grant?.expiresAt ?? .distantFuture
    guard expiry != countedExpiry else { return }
    table.countExpiry(from: countedExpiry, to: expiry)
    countedExpiry = expiry
  }

  /// When the token ends that the session lives by; nil if there is none, or it does not end. Only on the loop.
  nonisolated var expiry: Instant? {
    onLoop { connection in
      connection.standing.grant.flatMap { $0.expiresAt == .distantFuture ? nil : $0.expiresAt }
    }
  }

  /// When the token ends, and when the gateway would ask for the next, of a session that lives in peace. Nil for any other:
  /// who has been asked already, or is going. Only on the loop.
  nonisolated var dueTimes: (expiry: Instant, ask: Instant)? {
    onLoop { connection in
      guard connection.standing.phase == .active, let grant = connection.standing.grant else { return nil }
      return grant.expiresAt == .distantFuture ? nil : (grant.expiresAt, grant.askAt)
    }
  }
}
