internal import GatewayCore

// New keys for sessions that go on.

extension SendbirdSessions {
  /// Judges the token that a logged-in connection presents; the verdict's welcome is the payload of the answering
  /// `LOGI`.
  func refresh(
    _ user: UserID, _ token: SendbirdPresentedToken, isExpiring: Bool?, on connection: ConnectionID?,
    from address: String, at now: WallTime
  ) async -> Verdict {
    do throws(GatewayError) {
      let (known, accepted, kind) = try await admit(user, token, from: address, at: now)
      let id = connection.flatMap { table.connections(of: user)[$0] }
      let key: SendbirdSessionKey
      if let id, table[id]?.kind == kind, let renewed = renew(id, accepted, isExpiring: isExpiring, at: now) {
        key = renewed
      } else {
        key = open(user, kind, accepted, isExpiring: isExpiring ?? false, isForHTTP: false, at: now)
        if let connection { table.connect(connection, of: user, to: key.id) }
      }
      return .success(await welcome(key, known, isRefresh: true, at: now))
    } catch {
      return .failure(error)
    }
  }

  /// Refreshes over HTTP. Such a request names no session. It is taken for those that are in use, with a connection or
  /// as the user's newest, and are due or were opened by the same token; or else for the newest. Where there is none,
  /// it opens one. Keys that were given up long ago stay dead.
  func refreshOverHTTP(
    _ user: UserID, _ token: SendbirdPresentedToken, isExpiring: Bool, from address: String, at now: WallTime
  ) async throws(GatewayError) -> SendbirdHTTPRefresh {
    let (_, accepted, kind) = try await admit(user, token, from: address, at: now)
    let own = table.ids(of: user).filter { table[$0]?.kind == kind }
    let connected = Set(table.connections(of: user).values)
    var meant = own.filter { id in
      guard let session = table[id], id == own.last || connected.contains(id) else { return false }
      return session.isDue(at: now, settings) || session.token.fingerprint == accepted.fingerprint
    }
    if meant.isEmpty, let newest = own.last { meant = [newest] }
    let renewed = meant.compactMap { renew($0, accepted, isExpiring: isExpiring, at: now) }
    let key =
      renewed.last ?? open(user, kind, accepted, isExpiring: isExpiring, isForHTTP: false, at: now)
    let connections = table.connections(of: user).filter { meant.contains($0.value) }.keys
    return SendbirdHTTPRefresh(
      key: key.text(signer: signer), token: key.session.verified(welcome: nil, settings),
      connections: Set(connections))
  }

  /// The session's next key; nil if there is no such session.
  private func renew(
    _ id: UInt64, _ token: SendbirdAcceptedToken, isExpiring: Bool?, at now: WallTime
  ) -> SendbirdSessionKey? {
    table.update(id) { session in
      if let isExpiring { session.isExpiring = isExpiring }
      session.refresh(token, at: now, settings)
    }
    return table[id].map { SendbirdSessionKey(id, $0) }
  }
}

/// A refresh over HTTP that was granted.
struct SendbirdHTTPRefresh: Sendable {
  let key: String
  let token: VerifiedToken
  /// The live connections of the sessions it was taken for.
  let connections: Set<ConnectionID>
}
