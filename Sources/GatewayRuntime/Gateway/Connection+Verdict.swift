internal import GatewayCore

// The verdict on a token, as the session wants it.

extension Connection {
  /// The verdict as the session wants it: its times on the monotonic line, its chance drawn, revocations heeded.
  func acceptance(_ verdict: Verdict) -> Result<Acceptance, GatewayError> {
    switch verdict {
    case .failure(let error): .failure(error)
    case .success(let token):
      if let refusal = refusal(of: token) {
        .failure(refusal)
      } else {
        accept(token)
      }
    }
  }

  private func accept(_ token: VerifiedToken) -> Result<Acceptance, GatewayError> {
    if let doubt = token.doubt { log(doubt: doubt, of: token.user) }
    return .success(
      Acceptance(token, now: table.loop.now, wallNow: table.loop.wallTime, spreadShare: table.loop.nextShare()))
  }

  /// The traced operation of the token that is being judged; nil without traces.
  var trail: TraceOperation? {
    table.traces?.operation(of: id.serial, isRefresh: standing.grant != nil, dialect: dialect.name)
  }
}
