internal import GatewayCore

/// An authenticator of JoinRequests by their tokens and users. Whether the call admits the user is checked after the
/// socket's login.
struct StreamSFUAuthenticator: Authenticator {
  let sfu: StreamSFU
  let users: StreamDirectory

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    do throws(GatewayError) {
      let token = try sfu.tokens.read(credentials.token, at: now)
      guard let entry = credentials.details?.unpacked(StreamSFUEntry.self) else { throw .invalidParameter }
      try Self.check(entry, token, of: bearer)
      let verified = verified(token, entry)
      if token.kind == .anonymous { return .decided(.success(verified)) }
      return .pending { [users] in
        do throws(GatewayError) {
          let (user, app) = try await users.lookUp(token.user, at: now)
          try Self.checkStanding(of: user, app, token)
        } catch {
          return .failure(error)
        }
        return .success(verified)
      }
    } catch {
      return .decided(.failure(error))
    }
  }

  /// Throws unless a socket's second JoinRequest has the same call and session; its token may differ.
  private static func check(
    _ entry: StreamSFUEntry, _ token: StreamSFUToken, of bearer: Bearer
  ) throws(GatewayError) {
    guard let place = bearer.notes?.unpacked(StreamSFUPlace.self) else { return }
    guard place.call == token.call, place.entry.sessionID == entry.sessionID else {
      throw .invalidParameter.worded("the socket has joined another call, or as another session")
    }
  }

  private static func checkStanding(
    of user: StreamUser?, _ app: StreamAppSettings, _ token: StreamSFUToken
  ) throws(GatewayError) {
    guard let user else { throw .userUnknown }
    try user.checkStanding()
    for limit in [app.revokesTokensIssuedBefore, user.revokesTokensIssuedBefore] {
      if let limit, StreamToken.isIssued(token.issuedAt, before: limit) { throw .tokenRevoked }
    }
  }

  private func verified(_ token: StreamSFUToken, _ entry: StreamSFUEntry) -> VerifiedToken {
    var verified = VerifiedToken(
      user: token.user, kind: token.kind, fingerprint: token.fingerprint, issuedAt: token.issuedAt,
      expiresAt: token.expiresAt, calls: [token.call])
    verified.notes = Baggage(StreamSFUPlace(call: token.call, role: token.role, entry: entry))
    return verified
  }
}
