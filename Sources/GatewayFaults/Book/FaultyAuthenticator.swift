package import GatewayCore
internal import GatewayRuntime

/// Who judges the tokens of a wire format, with everything about it that may go wrong: ann's good token has a signature that
/// nobody knows, for instance.
package struct FaultyAuthenticator: Authenticator {
  package let inner: any Authenticator
  let book: FaultBook
  let dialect: Name

  package func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    if let failure = book.loginFailure(of: bearer) { return .decided(.failure(failure.error)) }
    let judgement = inner.judge(credentials, of: bearer, at: now)
    guard !book.standing.isEmpty else { return judgement }
    guard case .decided(let verdict) = judgement else {
      return .pending { await decide(await judgement.verdict, bearer, at: now) }
    }
    let subject = subject(of: verdict, bearer, at: now)
    guard !book.expects((any VerificationDelay).self, of: subject, bearer.connection) else {
      return .pending { await decide(verdict, bearer, at: now) }
    }
    return .decided(doctored(verdict, subject, bearer))
  }

  /// The verdict as late as it is to be. An upgrade is not kept waiting: its connection asks again.
  private func decide(_ verdict: Verdict, _ bearer: Bearer, at now: WallTime) async -> Verdict {
    let subject = subject(of: verdict, bearer, at: now)
    if let fault = book.fault((any VerificationDelay).self, of: subject, bearer.connection) {
      await book.loop.sleep(until: book.loop.now + fault.delay)
    }
    return doctored(verdict, subject, bearer)
  }

  private func doctored(_ verdict: Verdict, _ subject: FaultSubject, _ bearer: Bearer) -> Verdict {
    guard case .success(let token) = verdict else { return verdict }
    let (isRefresh, now) = (bearer.user != nil, book.loop.now)
    let found = book.befallen((any VerificationFault).self, of: subject, bearer.connection) { fault, standing in
      fault.refusal(of: token, isRefresh: isRefresh, standing, at: now) != nil
    }
    let refusal = found.flatMap { $0.fault.refusal(of: token, isRefresh: isRefresh, $0.standing, at: now) }
    return refusal.map { .failure($0) } ?? verdict
  }

  private func subject(of verdict: Verdict, _ bearer: Bearer, at now: WallTime) -> FaultSubject {
    var subject = FaultSubject(user: bearer.user, dialect: dialect, connection: book.number(of: bearer.connection))
    if case .success(let token) = verdict {
      // Whose connection it is decides, where the token is of somebody else.
      subject.user = bearer.user ?? token.user
      subject.kind = token.kind
      subject.expiresIn = token.expiresAt.map { $0 - now }
    }
    return subject
  }
}
