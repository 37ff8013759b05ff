internal import GatewayCore

// How a connection ends, and what became of the client.

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

  /// The connection has ended, and the client has no habit of coming back. Where the plan has it come back, an end that
  /// no token is to blame for only interrupts it; a refresh that ran out of time is a loss, whatever comes after.
  private mutating func lose(
    _ refresh: Refresh?, _ code: UInt16?, _ reason: String, at now: Instant, chance: inout SeededGenerator,
    into effects: inout [ClientEffect]
  ) {
    // A provider's answer that is under way belongs to the lost connection.
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

  /// Whether the gateway is right to end the connection on account of that request, and has done so: not if it went down
  /// meanwhile.
  private func isLossDue(_ refresh: Refresh, _ code: UInt16?, at now: Instant) -> Bool {
    guard isDoomed else { return false }
    let isRefusal = (behaviour == .stale || behaviour == .garbage) && !Self.isDeparture(code)
    return hasTimedOut(refresh, code, at: now) || isRefusal
  }

  /// Whether the gateway went, or the network did, and not only this client's connection.
  private static func isDeparture(_ code: UInt16?) -> Bool {
    [nil, CloseReason.goingAway.code, CloseReason.serviceRestart.code, CloseReason.overloaded.code].contains(code)
  }

  /// How much earlier than by the client's own reckoning the gateway may end a connection for its time-out: the request
  /// took some time to arrive.
  private static let timeoutSlack = Duration.seconds(1)

  /// Whether the gateway is right to cut the client off when it asks for a refresh.
  private var isDoomed: Bool {
    // Whoever renews its token on the way back has all the time it wants.
    if returnsByItself && habits.sessionKey == nil { return cannotRenew }
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
    case .obtaining where outage != nil, .waitingToObtain where outage != nil:
      phase = .ended
    case .returning:
      if logins == 0 { effects.append(.record(.connectFailed("unfinished"))) }
      phase = hasSocket ? .leaving(wasLive: false) : .ended
    case .dialling where outage != nil:
      phase = .abandoned
    case .loggingIn where outage != nil:
      phase = .leaving(wasLive: false)
      effects.append(.close)
    case .obtaining, .waitingToObtain:
      effects.append(.record(.connectFailed("unfinished")))
      phase = .ended
    case .dialling:
      effects.append(.record(.connectFailed("unfinished")))
      phase = .abandoned
    case .loggingIn:
      effects += [.record(.connectFailed("unfinished")), .close]
      phase = .leaving(wasLive: false)
    case .live, .refreshing:
      phase = .leaving(wasLive: true)
      effects.append(.close)
    case .leaving, .abandoned, .ended: return
    }
  }

  /// The code that the gateway sent, with the name that its wire has for it.
  private func reason(of code: UInt16?) -> String {
    let code = code ?? CloseReason.connectionLost.code
    return policy.closeNames[code].map { "\(code) \($0)" } ?? "\(code)"
  }

  private static func mayReturn(after code: UInt16?) -> Bool {
    guard let code, let reason = CloseReason(code: code, name: "") else { return true }
    return reason.mayReconnect
  }

  /// Whether the provider's answer to that question would still be of use.
  package func isWaiting(forFetch number: UInt32) -> Bool {
    guard number == fetchNumber else { return false }
    switch phase {
    case .obtaining: return true
    case .refreshing(let refresh): return [.fetching, .fetchingKey].contains(refresh.step)
    case .returning(let step): return [.asking, .askingForKey].contains(step)
    case .loggingIn: return tokenCue != nil
    case .idle, .waitingToObtain, .dialling, .live, .leaving, .away, .abandoned, .ended: return false
    }
  }

  /// How often it is to be refreshed: never, where tokens of its wire do not end.
  private func renewals(of waves: Int) -> Int { habits.refresh.how == .none ? 0 : waves }

  /// Whether it was refreshed as often as it is to be and is connected, at a further refresh, also one that something has
  /// gone wrong with. See ``Stragglers``.
  package func isAtFurtherRefresh(waves: Int) -> Bool {
    guard case .refreshing = phase, outage == nil, loss == nil, !cannotRenew else { return false }
    return waves > 0 && refreshes >= renewals(of: waves)
  }

  /// Whether the storm has nothing more to wait for: refreshed as often as it is to be, gone, or back after a loss.
  ///
  /// - Parameters:
  ///   - waves: How often the storm has every client refreshed.
  ///   - awaitsAll: Whether the storm waits for every refresh, also beyond the waves: a scenario may have ordered it.
  package func isSettled(waves: Int, awaitsAll: Bool = false) -> Bool {
    let waves = renewals(of: waves)
    return switch phase {
    case .ended: true
    case .live where outage == nil: refreshes >= waves || (!returnsByItself && loss != nil) || !isDue
    case .refreshing where outage == nil: !awaitsAll && isRefreshingBeyond(waves)
    case .live, .refreshing, .dialling, .loggingIn, .returning:
      !awaitsAll && outage?.isRenewal == true && isRefreshingBeyond(waves)
    case .idle, .obtaining, .waitingToObtain, .leaving, .away, .abandoned: false
    }
  }

  /// Whether it was refreshed as often as it is to be, and is at a further refresh that nothing has gone wrong with: short
  /// tokens end again and again, and a storm that waited for a moment without a refresh might never end.
  /// A client that presents its old token is waited for: it is lost when that token ends.
  private func isRefreshingBeyond(_ waves: Int) -> Bool {
    guard !cannotRenew else { return false }
    let hasFailed = outage.map { $0.failedCalls > 0 || $0.refusals > 1 || $0.attempts > 1 + $0.refusals } ?? false
    if case .refreshing(let refresh) = phase {
      if case .backingOff = refresh.step { return false }
      if refresh.calls > 1 || refresh.refusals > 0 { return false }
    }
    return refreshes >= waves && waves > 0 && loss == nil && !hasFailed
  }

  /// What became of it, in one word. Asked before the storm stops it.
  package func outcome(waves: Int) -> Outcome {
    guard logins > 0 else { return .neverConnected }
    if outage?.isRenewal == true, isRefreshingBeyond(renewals(of: waves)) { return .kept }
    // Still on its way back: it has not come back.
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

  /// The fate of a client at the end of a storm: `kept`, for instance, when it was refreshed in every wave.
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
