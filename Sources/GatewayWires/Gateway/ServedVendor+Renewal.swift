internal import GatewayCore
internal import GatewayKit
internal import GatewayTokens

// Renewals without a message of the client's: by a request over HTTP, and by a token that the gateway pushes.

extension ServedVendor {
  /// The lead of a pushed token on a wire that does not say it.
  static let usualPushLead = RefreshHabit.Lead.share(0.2)

  // MARK: Over HTTP

  /// Returns the answer to a request that renews open connections: the one that it names, or all of its token's user.
  nonisolated(nonsending) func renew(by request: HTTPRequest, _ renewal: WireRequest) async -> HTTPResponse {
    let shown = renewal.bindings(of: request)
    guard let text = shown.token else { return refusal(.credentialsMissing) }
    let now = services.wallTime
    var sessions = SessionFilter(dialects: [dialect.name])
    let naming = renewal.namingSlots
    if !naming.isEmpty {
      let named = shown.taken.filter { naming.contains($0.slot) }.map { dialect.links.connection(named: $0.value) }
      // Each of its names is of the same connection.
      guard let first = named.first ?? nil, named.allSatisfy({ $0 == first }) else { return refusal(Self.nobody) }
      sessions.connections = [first]
    }
    let token = Credentials(token: text)
    // The session judges a token for the connection that is named, and its journal tells of a refusal.
    if !renewal.takesToken, sessions.connections != nil {
      return await renewed(sessions, by: token, renewal, request)
    }
    switch await StrictAuthenticator(inner: authenticator).judge(token, at: now).verdict {
    case .failure(let error): return refusal(error)
    case .success(let verified):
      if let error = await services.refusal(of: verified, shownTo: dialect.name, isRefresh: true) {
        return refusal(error)
      }
      sessions.user = verified.user
      guard renewal.takesToken else { return await renewed(sessions, by: token, renewal, request) }
      // Sessions live by the token that the request shows, and get another one.
      if sessions.connections == nil { sessions.fingerprint = verified.fingerprint }
      guard let expiry = verified.expiresAt else { return refusal(.tokenNotRenewed) }
      let life = verified.issuedAt.map { expiry - $0 } ?? expiry - now
      let next = issuer.mint(
        user: verified.user, kind: verified.kind, issuedAt: now, expiresAt: now + max(life, .seconds(1)), calls: nil)
      return await renewed(sessions, by: next, renewal, request)
    }
  }

  private static let nobody = GatewayError.notFound.detailed("no such connection is open here")

  /// Has the sessions judge the token; returns the answer to the request.
  private nonisolated(nonsending) func renewed(
    _ sessions: SessionFilter, by token: Credentials, _ renewal: WireRequest, _ request: HTTPRequest
  ) async -> HTTPResponse {
    let verdicts = await services.present(token, to: sessions)
    guard let first = verdicts.first else { return refusal(Self.nobody) }
    guard verdicts.contains(where: { $0 == nil }) else { return refusal(first ?? Self.nobody) }
    let now = services.wallTime
    let verified = try? await authenticator.judge(token, at: now).verdict.get()
    let body = renewal.answer(
      naming: Base64URL.encode(secrets.bytes(12)), token: token.token, user: verified?.user.rawValue,
      life: verified?.expiresAt.map { max(.zero, $0 - now) }, at: now)
    return HTTPResponse(status: 200, json: body)
  }

  /// Returns the answer to a request that renews nothing, with the status of its cause where the wire has one.
  private func refusal(_ error: GatewayError) -> HTTPResponse {
    var response = dialect.response(for: error)
    response.status = served.status(for: error)
    return response
  }

  // MARK: Pushed

  /// Returns the mint of pushed tokens. They take no turn of the token provider's, and nobody has asked it for them.
  static func push(_ issuer: any TokenIssuer, _ ground: Ground) -> ServedLinks.Push {
    let services = ground.services
    let executor = ground.executor
    return { connection, user, kind, life in
      // The session is in the middle of its request.
      Task(executorPreference: executor) {
        let now = services.wallTime
        let token = issuer.mint(
          user: user, kind: kind, issuedAt: now, expiresAt: now + max(life, .seconds(1)), calls: nil)
        _ = await services.present(token, to: SessionFilter(user: user, connections: [connection]))
      }
    }
  }
}

/// An authenticator of a wire on which the gateway pushes the next token: it sets the lead.
struct PushingAuthenticator: Authenticator {
  let inner: any Authenticator
  let lead: RefreshHabit.Lead

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    switch inner.judge(credentials, of: bearer, at: now) {
    case .decided(let verdict): .decided(leading(verdict, at: now))
    case .pending(let question): .pending { leading(await question(), at: now) }
    }
  }

  private func leading(_ verdict: Verdict, at now: WallTime) -> Verdict {
    verdict.map { token in
      var token = token
      if let end = token.expiresAt { token.refreshLead = lead.duration(ofLife: max(.zero, end - now)) }
      return token
    }
  }
}
