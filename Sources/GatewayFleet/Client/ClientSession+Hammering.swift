internal import GatewayCore

// The loop of a client that hammers: it asks the provider again until a token is accepted.

extension ClientSession {
  /// Whether the client asks again after every answer without a token, without a wait and for ever.
  var hammers: Bool { behaviour == .hammering }

  /// Whether the provider refuses its renewals for ever, as for a user with a dead refresh token.
  var hammersInVain: Bool { hammers && policy.hammersInVain }

  /// Returns the purpose of the `call`-th request for a renewal.
  func renewal(call: Int) -> FetchPurpose {
    if behaviour == .refused { return .hopelessRefresh(call: 1) }
    return hammersInVain ? .hopelessRefresh(call: call) : .refresh(call: call)
  }

  /// Returns whether it does so after that answer.
  func hammers(after answer: ProviderAnswer) -> Bool {
    guard hammers else { return false }
    if case .token = answer { return false }
    return true
  }

  /// Continues the loop during a refresh, whatever `Retry-After` and the gateway's timeout say.
  mutating func hammer(_ refresh: Refresh, at now: Instant) {
    var refresh = refresh
    refresh.step = .backingOff(until: now + policy.hammerPause)
    phase = .refreshing(refresh)
  }

  /// Continues the loop before the login.
  mutating func hammer(tries: Int, at now: Instant) {
    phase = .waitingToObtain(tries: tries, until: now + policy.hammerPause)
  }

  /// Continues the loop on the way back.
  mutating func hammerAway(at now: Instant) {
    phase = .returning(.waiting(until: now + policy.hammerPause))
  }
}
