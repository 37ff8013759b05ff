internal import GatewayCore

// The end of a connection, and the outcome of a client.

extension ClientSession {
  mutating func closed(
    _ code: UInt16?, _ text: String?, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    let reason = hasDespaired ? Self.silence : reason(of: code)
    hasDespaired = false
    let meaning = meaning(of: code, text, reason)
    noteEnd(at: now, into: &effects)
    switch phase {
    case .dialling, .loggingIn:
      if let (verdict, reason) = meaning {
        return endedUnaccepted(verdict, reason, at: now, chance: &chance, into: &effects)
      }
      if outage != nil { return failedAway(reason, at: now, chance: &chance, into: &effects) }
      endWithoutLogin(reason, mayReturn: Self.mayReturn(after: code), at: now, chance: &chance, into: &effects)
    case .refused(let number, let name, _):
      closedAfterRefusal(number, name, code, at: now, chance: &chance, into: &effects)
    case .live where meaning?.verdict == .giveUp, .refreshing where meaning?.verdict == .giveUp:
      endForGood(meaning?.reason ?? reason, into: &effects)
    case .live where returnsByItself:
      cutOff(code, meaning?.reason ?? reason, meaning?.verdict, at: now, chance: &chance, into: &effects)
    case .refreshing(let refresh) where returnsByItself && !isLossDue(refresh, code, at: now):
      cutOff(code, meaning?.reason ?? reason, meaning?.verdict, at: now, chance: &chance, into: &effects)
    case .returning:
      parted(at: now, into: &effects)
    case .live:
      lose(nil, code, reason, at: now, chance: &chance, into: &effects)
    case .refreshing(let refresh):
      lose(refresh, code, reason, at: now, chance: &chance, into: &effects)
    case .leaving(let wasLive):
      if wasLive { effects.append(.record(.left)) }
      phase = .ended
    case .abandoned:
      phase = .ended
    case .idle, .obtaining, .waitingToObtain, .away, .ended: return
    }
  }

  /// Handles the end of a connection whose client doesn't come back by itself. If the plan has clients come back, an
  /// end without the token's fault is only an interruption. A refresh that ran out of time is a loss in any case.
  private mutating func lose(
    _ refresh: Refresh?, _ code: UInt16?, _ reason: String, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    // A pending answer of the provider belongs to the lost connection.
    fetchNumber &+= 1
    let timedOut = refresh.map { hasTimedOut($0, code, at: now) } ?? false
    let isExpected = refresh.map { isLossDue($0, code, at: now) } ?? false
    let mayReturn = Self.mayReturn(after: code)
    if policy.reconnects && mayReturn && !timedOut && !isExpected {
      effects.append(.record(.interrupted(reason)))
      outage = Outage(since: now)
      outage?.downSince = now
    } else {
      if loss != .unexpected { loss = isExpected ? .expected : .unexpected }
      effects.append(.record(.lost(reason, isExpected: isExpected, timedOut: timedOut)))
    }
    comeBackOrEnd(mayReturn, at: now, chance: &chance)
  }

  private func hasTimedOut(_ refresh: Refresh, _ code: UInt16?, at now: Instant) -> Bool {
    code == CloseReason.refreshTimeout.code || now + Self.timeoutSlack >= refresh.until
  }

  /// Returns whether the gateway was right to end the connection because of that request, and did so for that reason,
  /// not because it went down.
  private func isLossDue(_ refresh: Refresh, _ code: UInt16?, at now: Instant) -> Bool {
    guard isDoomed else { return false }
    let isRefusal = (behaviour == .stale || behaviour == .garbage) && !Self.isDeparture(code)
    return hasTimedOut(refresh, code, at: now) || isRefusal
  }

  /// Returns whether the gateway or the network went away, not only this client's connection.
  private static func isDeparture(_ code: UInt16?) -> Bool {
    [nil, CloseReason.goingAway.code, CloseReason.serviceRestart.code, CloseReason.overloaded.code].contains(code)
  }

  /// How much earlier than in the client's own calculation the gateway may end a connection for its timeout, since the
  /// request took time to arrive.
  private static let timeoutSlack = Duration.seconds(1)

  /// Whether the gateway is right to close the client at a refresh request.
  private var isDoomed: Bool {
    // A client that renews its token on the way back has no time limit.
    if hammersInVain || (returnsByItself && habits.sessionKey == nil) { return cannotRenew }
    return !behaviour.isExpectedToStay(
      slowDelay: policy.slowDelay, timeout: announcedTimeout ?? policy.refreshTimeout)
  }

  mutating func stop(into effects: inout [ClientEffect]) {
    fetchNumber &+= 1
    switch phase {
    case .idle:
      phase = .ended
    case .away:
      phase = hasSocket ? .leaving(wasLive: false) : .ended
    case .obtaining where outage != nil || (hammers && logins > 0),
      .waitingToObtain where outage != nil || (hammers && logins > 0):
      phase = .ended
    case .returning:
      if logins == 0 { effects.append(.record(.unfinished)) }
      phase = hasSocket ? .leaving(wasLive: false) : .ended
    case .dialling where outage != nil:
      phase = .abandoned
    case .loggingIn where outage != nil, .refused where outage != nil:
      phase = .leaving(wasLive: false)
      effects.append(.close)
    case .obtaining, .waitingToObtain:
      effects.append(.record(.unfinished))
      phase = .ended
    case .dialling:
      effects.append(.record(.unfinished))
      phase = .abandoned
    case .loggingIn, .refused:
      effects += [.record(.unfinished), .close]
      phase = .leaving(wasLive: false)
    case .live, .refreshing:
      phase = .leaving(wasLive: true)
      effects.append(.close)
    case .leaving, .abandoned, .ended: return
    }
  }

  /// Returns the gateway's close code with the dialect's name for it.
  private func reason(of code: UInt16?) -> String {
    let code = code ?? CloseReason.connectionLost.code
    return policy.closeNames[code].map { "\(code) \($0)" } ?? "\(code)"
  }

  private static func mayReturn(after code: UInt16?) -> Bool {
    guard let code, let reason = CloseReason(code: code, name: "") else { return true }
    return reason.mayReconnect
  }

  /// Returns whether the client still needs the provider's answer to that request.
  package func isWaiting(forFetch number: UInt32) -> Bool {
    guard number == fetchNumber else { return false }
    switch phase {
    case .obtaining: return true
    case .refreshing(let refresh): return [.fetching, .fetchingKey].contains(refresh.step)
    case .returning(let step): return [.asking, .askingForKey].contains(step)
    case .loggingIn: return tokenCue != nil
    case .idle, .waitingToObtain, .dialling, .refused, .live, .leaving, .away, .abandoned, .ended: return false
    }
  }

  /// Returns how often the client must be refreshed: never, if the dialect's tokens do not end.
  private func renewals(of waves: Int) -> Int { habits.refresh.how == .none ? 0 : waves }

  /// Returns whether the client had all its refreshes, is connected, and is at a further refresh, even a troubled one.
  /// See ``Stragglers``.
  package func isAtFurtherRefresh(waves: Int) -> Bool {
    guard case .refreshing = phase, outage == nil, loss == nil, !cannotRenew else { return false }
    return waves > 0 && refreshes >= renewals(of: waves)
  }

  /// Returns whether the storm need not wait for the client: it had all its refreshes, is gone, or is back after a
  /// loss.
  ///
  /// - Parameters:
  ///   - waves: How often the storm has every client refreshed.
  ///   - awaitsAll: Whether the storm waits for every refresh, even beyond the waves: a scenario may have ordered it.
  package func isSettled(waves: Int, awaitsAll: Bool = false) -> Bool {
    let waves = renewals(of: waves)
    // Nothing that a storm waits for happens to a client that loops for ever.
    if hammersInVain, loss != nil { return true }
    return switch phase {
    case .ended: true
    case .live where outage == nil: refreshes >= waves || (!returnsByItself && loss != nil) || !isDue
    case .refreshing where outage == nil: !awaitsAll && isRefreshingBeyond(waves)
    case .live, .refreshing, .dialling, .loggingIn, .refused, .returning:
      !awaitsAll && outage?.isRenewal == true && isRefreshingBeyond(waves)
    case .idle, .obtaining, .waitingToObtain, .leaving, .away, .abandoned: false
    }
  }

  /// Returns whether the client had all its refreshes and is at a further one without trouble. Short tokens end again
  /// and again, and a storm that waited for a moment without a refresh might never end. A client that presents its old
  /// token is waited for: it is lost when that token ends.
  private func isRefreshingBeyond(_ waves: Int) -> Bool {
    guard !cannotRenew else { return false }
    let hasFailed = outage.map { $0.failedCalls > 0 || $0.refusals > 1 || $0.attempts > 1 + $0.refusals } ?? false
    if case .refreshing(let refresh) = phase {
      if case .backingOff = refresh.step { return false }
      if refresh.calls > 1 || refresh.refusals > 0 { return false }
    }
    return refreshes >= waves && waves > 0 && loss == nil && !hasFailed
  }

  /// Returns the outcome of the client. The storm calls it before it stops the client.
  package func outcome(waves: Int) -> Outcome {
    guard logins > 0 else { return .neverConnected }
    if outage?.isRenewal == true, isRefreshingBeyond(renewals(of: waves)) { return .kept }
    // The client is still on its way back.
    if let outage, outage.downSince != nil, loss == nil {
      return cannotRenew && outage.isExpiry ? .lostExpectedly : .lostUnexpectedly
    }
    switch loss {
    case .expected: return .lostExpectedly
    case .unexpected: return .lostUnexpectedly
    case nil:
      if refreshes >= renewals(of: waves) { return .kept }
      if !isDue { return logins > 1 ? .returned : .late }
      return isDoomed ? .overstayed : .unrefreshed
    }
  }

  /// The outcome of a client at the end of a storm.
  package enum Outcome: Hashable, Sendable {
    case neverConnected
    case kept
    case lostExpectedly
    case lostUnexpectedly
    case overstayed
    case unrefreshed
    case late
    /// It was interrupted and is back, with a token that outlives the storm.
    case returned
  }
}
