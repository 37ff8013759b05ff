internal import GatewayCore

// New keys for existing sessions.

extension SendbirdSessions {
  /// Verifies the token of a refresh on a connection; the verdict's welcome is the payload of the answering `LOGI`.
  func refresh(
    _ user: UserID, _ token: SendbirdPresentedToken, isExpiring: Bool?, on connection: ConnectionID?,
    from address: String, at now: WallTime
  ) async -> Verdict {
    do throws(GatewayError) {
      let (known, accepted, kind) = try await admit(user, token, for: nil, from: address, at: now)
      let id = connection.flatMap { connections[user]?[$0] }
      var renewed: SendbirdSessionKey?
      if let id, try await table.session(id, of: user, at: now)?.kind == kind {
        renewed = try await renew([id], of: user, accepted, isExpiring: isExpiring, at: now).first
      }
      let key: SendbirdSessionKey
      if let renewed {
        key = renewed
      } else {
        key = try await open(user, kind, accepted, isExpiring: isExpiring ?? false, isForHTTP: false, at: now)
        if let connection { connections[user, default: [:]][connection] = key.id }
      }
      return .success(try await welcome(key, known, isRefresh: true, at: now))
    } catch {
      return .failure(error)
    }
  }

  /// Refreshes over HTTP. Such a request names no session. It applies to the sessions in use (with a connection, or the
  /// user's newest) that are due or were opened with the same token, or else to the newest. If there is none, it opens
  /// one. Keys that expired long ago stay invalid.
  func refreshOverHTTP(
    _ user: UserID, _ token: SendbirdPresentedToken, isExpiring: Bool, from address: String, at now: WallTime
  ) async throws(GatewayError) -> SendbirdHTTPRefresh {
    let (_, accepted, kind) = try await admit(user, token, for: .refresh, from: address, at: now)
    let own = try await table.sessions(of: user, at: now).filter { $0.session.kind == kind }
    let newest = own.last?.id
    let connected = Set((connections[user] ?? [:]).values)
    var meant = own.filter { known in
      guard known.id == newest || connected.contains(known.id) else { return false }
      return known.session.isDue(at: now, settings) || known.session.token.fingerprint == accepted.fingerprint
    }.map(\.id)
    if meant.isEmpty, let newest { meant = [newest] }
    let renewed = try await renew(meant, of: user, accepted, isExpiring: isExpiring, at: now).last
    let key: SendbirdSessionKey
    if let renewed {
      key = renewed
    } else {
      key = try await open(user, kind, accepted, isExpiring: isExpiring, isForHTTP: false, at: now)
    }
    return SendbirdHTTPRefresh(
      key: key.text(signer: signer), id: key.id, token: key.session.verified(welcome: nil, settings),
      connections: connections(of: user, in: meant))
  }

  private func connections(of user: UserID, in sessions: [UInt64]) -> Set<ConnectionID> {
    Set((connections[user] ?? [:]).filter { sessions.contains($0.value) }.keys)
  }

  /// Has the user's connections to this process follow a refresh over HTTP at another node, which left the session with that
  /// number: refreshes those sessions in use that the other node could not know to be in use. Returns the connections of all
  /// refreshed ones.
  func follow(
    refreshOf id: UInt64, of user: UserID, at now: WallTime
  ) async throws(GatewayError) -> SendbirdHTTPRefresh? {
    guard let connected = connections[user].map({ Set($0.values) }),
      let newest = try await table.session(id, of: user, at: now)
    else { return nil }
    let own = try await table.sessions(of: user, at: now).filter {
      $0.session.kind == newest.kind && connected.contains($0.id)
    }
    let done = own.filter { $0.session.token == newest.token && $0.session.begunAt >= newest.begunAt }.map(\.id)
    let meant = own.filter { known in
      guard !done.contains(known.id) else { return false }
      return known.session.isDue(at: now, settings) || known.session.token.fingerprint == newest.token.fingerprint
    }.map(\.id)
    _ = try await renew(meant, of: user, newest.token, isExpiring: newest.isExpiring, at: now)
    let key = SendbirdSessionKey(id, newest)
    return SendbirdHTTPRefresh(
      key: key.text(signer: signer), id: id, token: newest.verified(welcome: nil, settings),
      connections: connections(of: user, in: done + meant))
  }

  /// Returns the next keys of those sessions that exist.
  private func renew(
    _ ids: [UInt64], of user: UserID, _ token: SendbirdAcceptedToken, isExpiring: Bool?, at now: WallTime
  ) async throws(GatewayError) -> [SendbirdSessionKey] {
    let renewed = try await table.update(ids, of: user, at: now) { session in
      if let isExpiring { session.isExpiring = isExpiring }
      session.refresh(token, at: now, settings)
    }
    return renewed.map { SendbirdSessionKey($0.id, $0.session) }
  }
}

/// A successful refresh over HTTP.
struct SendbirdHTTPRefresh: Sendable {
  let key: String
  /// The number of its session.
  let id: UInt64
  let token: VerifiedToken
  /// The live connections of the refreshed sessions.
  let connections: Set<ConnectionID>

  private static let topic = "sendbird.refresh"

  /// The note about it to the other nodes.
  var note: VendorNote { VendorNote(Self.topic, "\(id) \(token.user.rawValue)") }

  /// Returns the refreshed session's number and user of a note; nil if it is another one.
  static func session(of note: VendorNote) -> (id: UInt64, user: UserID)? {
    guard note.topic == topic else { return nil }
    let parts = note.text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard parts.count == 2, let id = UInt64(parts[0]) else { return nil }
    return (id, UserID(parts[1]))
  }

  /// Has the live connections of this process continue with the token.
  func renew(on services: any GatewayServices) async {
    guard !connections.isEmpty else { return }
    _ = await services.renew(SessionFilter(user: token.user, connections: connections), with: token)
  }
}
