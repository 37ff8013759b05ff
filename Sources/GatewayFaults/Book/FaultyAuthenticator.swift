internal import GatewayCore
internal import GatewayRuntime

/// An authenticator of a wire format's tokens with every possible fault.
struct FaultyAuthenticator: Authenticator {
  let inner: any Authenticator
  let book: FaultBook
  let dialect: Name

  func judge(_ credentials: Credentials, of bearer: Bearer, at now: WallTime) -> Judgement {
    if let failure = book.loginFailure(of: bearer) { return .decided(.failure(failure.error)) }
    guard !book.standing.isEmpty else { return inner.judge(credentials, of: bearer, at: now) }
    // A token that is used up by its acceptance must be refused before it.
    let asked = Asked()
    var objecting = bearer
    objecting.objection = { token in
      if let refusal = await bearer.objection?(token) { return refusal }
      asked.hasBeen = true
      return refusal(of: token, self.subject(of: .success(token), bearer, at: now), bearer)
    }
    let judgement = inner.judge(credentials, of: objecting, at: now)
    guard case .decided(let verdict) = judgement else {
      return .pending { await decide(await judgement.verdict, bearer, asked, at: now) }
    }
    let subject = subject(of: verdict, bearer, at: now)
    guard !book.expects((any VerificationDelay).self, of: subject, bearer.connection) else {
      return .pending { await decide(verdict, bearer, asked, at: now) }
    }
    return .decided(doctored(verdict, subject, bearer))
  }

  /// A record of whether the inner authenticator has asked for objections to the token.
  ///
  /// `@unchecked Sendable`: used only on the book's loop.
  private final class Asked: @unchecked Sendable {
    var hasBeen = false
  }

  /// Returns the verdict after the delay of a fault. An upgrade does not wait: its connection asks again.
  private func decide(_ verdict: Verdict, _ bearer: Bearer, _ asked: Asked, at now: WallTime) async -> Verdict {
    let subject = subject(of: verdict, bearer, at: now)
    if let fault = book.fault((any VerificationDelay).self, of: subject, bearer.connection) {
      let loop = book.loop
      await loop.sleep(until: loop.now + fault.delay, as: "the judgement of a token, which a fault makes slow")
    }
    return asked.hasBeen ? verdict : doctored(verdict, subject, bearer)
  }

  private func doctored(_ verdict: Verdict, _ subject: FaultSubject, _ bearer: Bearer) -> Verdict {
    guard case .success(let token) = verdict, let refusal = refusal(of: token, subject, bearer) else { return verdict }
    return .failure(refusal)
  }

  private func refusal(of token: VerifiedToken, _ subject: FaultSubject, _ bearer: Bearer) -> GatewayError? {
    book.refusal(of: token, subject, bearer.connection, isRefresh: bearer.user != nil)
  }

  private func subject(of verdict: Verdict, _ bearer: Bearer, at now: WallTime) -> FaultSubject {
    var subject = FaultSubject(user: bearer.user, dialect: dialect, connection: book.number(of: bearer.connection))
    if case .success(let token) = verdict {
      // The connection's user decides if the token is another user's.
      subject.user = bearer.user ?? token.user
      subject.kind = token.kind
      subject.expiresIn = token.expiresAt.map { $0 - now }
    }
    return subject
  }
}
