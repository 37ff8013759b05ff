package import GatewayCore

// The revoked tokens, and the tokens that count as expired, as one loop knows them.

extension LoopTable {
  /// Why a token that verifies is not good all the same; nil if it is. While the store is not this process's, it cannot be
  /// judged: others may have revoked it.
  func refusal(of token: VerifiedToken) -> GatewayError? {
    if revocations.contains(token) { return .tokenRevoked }
    if expired.contains(token) { return .tokenExpired }
    guard let mayAdmit, !mayAdmit(loop.now) else { return nil }
    return .storeUnavailable
  }

  /// Stores that the token counts as expired, until it has expired of itself. A token that exceeds the limit is counted.
  func expire(_ token: ExpiredToken) {
    let target = Revocations.Target.token(token.fingerprint, expiresAt: token.expiresAt)
    if !expired.revoke(target, at: loop.wallTime) { metrics.expiriesForgotten += 1 }
  }

  /// Takes up what was revoked, and let expire, in an earlier life of the gateway.
  func remember(_ kept: KeptRevocations) {
    for target in kept.targets { _ = revocations.revoke(target, at: loop.wallTime) }
    for token in kept.expired { expire(token) }
  }

  /// Adds the revocations and expiries of other processes, and tells the sessions that a new revocation covers. Entries above
  /// the limit are left out.
  func learn(_ kept: KeptRevocations) {
    let ended = news(among: kept.ending)
    if !ended.isEmpty {
      Self.inSlices(inOrder.filter { $0.isCovered(by: ended) }, on: loop) { $0.control(.disconnect(.tokenRevoked)) }
    }
    let news = news(among: kept.targets)
    for token in kept.expired where !expired.covers(.token(token.fingerprint)) { expire(token) }
    guard !news.isEmpty else { return }
    Self.inSlices(inOrder.filter { $0.isCovered(by: news) }, on: loop) { $0.control(.revoked) }
  }

  /// Remembers revocations, and returns the new ones.
  private func news(among targets: [Revocations.Target]) -> Revocations {
    var news = Revocations(countMax: targets.count)
    for target in targets {
      let isNew = !revocations.covers(target)
      // A token that it knows may have a later end by now.
      guard revocations.revoke(target, at: loop.wallTime), isNew else { continue }
      _ = news.revoke(target, at: loop.wallTime)
    }
    return news
  }

  /// Stores the revocation, and notifies the sessions that it covers. Returns their number; nil, with nothing changed,
  /// if the table is full.
  ///
  /// - Parameters:
  ///   - target: The tokens that it covers.
  ///   - isEnding: Whether the sessions are closed, whatever the session policy says.
  package func revoke(_ target: Revocations.Target, isEnding: Bool = false) -> Int? {
    guard revocations.revoke(target, at: loop.wallTime) else { return nil }
    let covered = connections(coveredBy: target)
    Self.inSlices(covered, on: loop) { $0.control(isEnding ? .disconnect(.tokenRevoked) : .revoked) }
    return covered.count
  }

  /// Returns the sessions whose token the target covers.
  func connections(coveredBy target: Revocations.Target) -> [Connection] {
    let candidates =
      switch target {
      case .user(let user, _): connections(of: user)
      case .session(let session, _): sessions.connections(of: session).compactMap { connections[$0] }
      case .token, .everybody: inOrder
      }
    return candidates.filter { $0.isCovered(by: target) }
  }
}
