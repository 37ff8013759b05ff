internal import GatewayCore
internal import GatewayRuntime

/// An authenticator that asks the application's backend after its own check, or instead of it.
struct HookedAuthenticator: Authenticator {
  let inner: any Authenticator
  let hooks: Hooks
  /// Whether the backend judges alone.
  let isAlone: Bool
  /// Whether the backend's data reaches the client.
  let tellsData: Bool

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    guard let connection = bearer.connection else {
      // An upgrade does not wait: its connection asks again. Of a request that has no connection the token alone decides.
      let judgement = inner.judge(credentials, of: bearer, at: now)
      if !isAlone, case .decided(.failure) = judgement { return judgement }
      return .pending { await judgement.verdict }
    }
    guard !isAlone else {
      return .pending { await verdictAlone(credentials, of: bearer, connection) }
    }
    let judgement = inner.judge(credentials, of: bearer, at: now)
    if case .decided(.failure) = judgement { return judgement }
    return .pending { await complete(await judgement.verdict, credentials, of: bearer, connection) }
  }

  private nonisolated(nonsending) func complete(
    _ verdict: Verdict, _ credentials: Credentials, of bearer: Bearer, _ connection: ConnectionID
  ) async -> Verdict {
    guard case .success(var token) = verdict, token.wants == nil, let seat = hooks.seat(of: connection) else {
      return verdict
    }
    // Another token of the same client: its user has the backend's name for it.
    if bearer.user != nil, let renamed = seat.renamed, renamed.user == token.user { token.user = renamed.name }
    TraceScope.current?.endVerification()
    // The backend is not asked about a token that is refused anyway.
    if let refusal = await bearer.objection?(token) { return .failure(refusal) }
    if token.kind == .anonymous { return verdict }
    if bearer.user == token.user {
      return await hooks.refresh(seat, to: token, credentials, endsWithToken: true)
    }
    let mayRename = tellsData && bearer.user == nil
    return await hooks.connect(seat, as: token, credentials, tellsData: tellsData, mayRename: mayRename)
  }

  private nonisolated(nonsending) func verdictAlone(
    _ credentials: Credentials, of bearer: Bearer, _ connection: ConnectionID
  ) async -> Verdict {
    TraceScope.current?.dropVerification()
    guard let seat = hooks.seat(of: connection) else { return .failure(.identityUnavailable) }
    guard let user = bearer.user else {
      return await hooks.connect(seat, as: nil, credentials, tellsData: tellsData)
    }
    guard hooks.settings.refresh != nil else {
      return .failure(.notPermitted.detailed("the application's backend decides as a client connects: connect again"))
    }
    return await hooks.refresh(seat, to: hooks.newToken(of: user), credentials, endsWithToken: false)
  }
}

extension GatewayError {
  /// The backend's refusal, with its own code and words.
  static func refused(_ code: String, _ text: String) -> GatewayError {
    .applicationRefused.detailed(text.isEmpty ? code : "\(text) (\(code))")
  }
}
