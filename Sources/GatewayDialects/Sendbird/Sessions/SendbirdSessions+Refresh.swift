internal import GatewayCore
internal import GatewayTokens

// New keys for sessions that go on.

extension SendbirdSessions {
  /// Judges the token that a logged-in connection presents; the verdict's welcome is the new key.
  func refresh(
    _ user: UserID, _ token: SendbirdPresentedToken, isExpiring: Bool?, on connection: ConnectionID?, at now: WallTime
  ) async -> Verdict {
    do throws(GatewayError) {
      let (_, accepted, kind) = try await admit(user, token, at: now)
      let known = connection.flatMap { table.connections(of: user)[$0] }
      guard let id = known, table[id]?.kind == kind else {
        let id = open(user, kind, accepted, isExpiring: isExpiring ?? false, isForHTTP: false, at: now)
        if let connection { table.connect(connection, of: user, to: id) }
        return .success(verified(id))
      }
      renew(id, accepted, isExpiring: isExpiring, at: now)
      return .success(verified(id))
    } catch {
      return .failure(error)
    }
  }

  /// Refreshes over HTTP. Such a request names no session. It is taken for those that are in use, with a connection or
  /// as the user's newest, and have ended or were opened by the same token; or else for the newest. Where there is none,
  /// it opens one. Keys that were given up long ago stay dead.
  func refreshOverHTTP(
    _ user: UserID, _ token: SendbirdPresentedToken, isExpiring: Bool, at now: WallTime
  ) async throws(GatewayError) -> SendbirdHTTPRefresh {
    let (_, accepted, kind) = try await admit(user, token, at: now)
    let own = table.ids(of: user).filter { table[$0]?.kind == kind }
    let connected = Set(table.connections(of: user).values)
    var meant = own.filter { id in
      guard let session = table[id], id == own.last || connected.contains(id) else { return false }
      return session.hasEnded(at: now) || session.token.fingerprint == accepted.fingerprint
    }
    if meant.isEmpty, let newest = own.last { meant = [newest] }
    if meant.isEmpty {
      meant = [open(user, kind, accepted, isExpiring: isExpiring, isForHTTP: false, at: now)]
    } else {
      for id in meant { renew(id, accepted, isExpiring: isExpiring, at: now) }
    }
    let connections = table.connections(of: user).filter { meant.contains($0.value) }.keys
    return SendbirdHTTPRefresh(token: verified(meant[meant.count - 1]), connections: Set(connections))
  }

  private func renew(_ id: UInt64, _ token: SendbirdAcceptedToken, isExpiring: Bool?, at now: WallTime) {
    table.update(id) { session in
      if let isExpiring { session.isExpiring = isExpiring }
      session.refresh(token, at: now, settings)
    }
  }

  /// The session as it is now, with its present key as the welcome.
  private func verified(_ id: UInt64) -> VerifiedToken {
    guard let session = table[id] else { preconditionFailure("a session of this very moment") }
    return session.verified(
      welcome: SendbirdSessionKey(session: id, generation: session.generation).text(signer: signer))
  }
}

/// A refresh over HTTP that was granted.
struct SendbirdHTTPRefresh: Sendable {
  /// Its welcome is the new key.
  let token: VerifiedToken
  /// The live connections of the sessions it was taken for.
  let connections: Set<ConnectionID>
}
