internal import GatewayCore
internal import GatewayFleet

// The gateway's side of the connections.

extension MachineWorld {
  /// The leeway after a token's end, as in the gateway's verifier.
  private static let usualTimes = TokenTimes()
  /// The client's name for its message, if the answer needs one.
  private static let request = RequestID("1")
  /// The same user serves all connections, since no identity changes.
  private static let user = UserID("client")

  mutating func arriveAtGateway(_ event: WorldEvent, _ index: Int) {
    switch event.kind {
    case .upgrade: accept(event, index)
    case .presented where settings.isAlone: if machines[index].gatewayEnd == .open { toClient(index, .refreshed) }
    case .presented where machines[index].gatewayEnd == .open:
      tellSession(
        index, .received(.credentials(Credentials(token: ""), request: wire == nil ? nil : Self.request)),
        presented: event.value)
    case .nonsense where machines[index].gatewayEnd == .open:
      tellSession(index, .malformed(.malformedMessage))
    case .pinged where machines[index].gatewayEnd == .open:
      tellSession(index, .received(.ping(request: nil)))
    case .clientClosed:
      guard machines[index].gatewayEnd != .none else { return }
      if machines[index].gatewayEnd == .open {
        toClient(index, .gatewayClosed, value: Int64(CloseReason.normal.code))
      }
      machines[index].gatewayEnd = .none
      if !settings.isAlone { tellSession(index, .peerClosed) }
    default: return
    }
  }

  /// The latest possible turn, in nanoseconds: after the end of every world, and far from overflow.
  private static let lastTurn: Int64 = 1 << 61

  private mutating func accept(_ event: WorldEvent, _ index: Int) {
    if let rate = settings.acceptsPerSecond {
      let turn = max(now, acceptsAt)
      acceptsAt = min(turn + Int64(min(1e9 / rate, 1e18)), Self.lastTurn)
      if turn > now {
        // The connection waits for its turn; earlier connections keep theirs.
        machines[index].toGateway = max(machines[index].toGateway, turn)
        return open(index, at: turn)
      }
    }
    open(index, at: now)
  }

  private mutating func open(_ index: Int, at instant: Int64) {
    machines[index].session = Session(
      id: ConnectionID(loop: 0, serial: UInt64(index)), policy: sessionPolicy, now: Instant(nanoseconds: instant))
    machines[index].gatewayEnd = .open
    machines[index].toClient = instant
    toClient(index, .opened)
    guard !settings.isAlone else { return }
    guard wire?.isLoginInUpgrade == true else { return setSessionDue(index) }
    tellSession(index, .received(.credentials(Credentials(token: ""), request: nil)), presented: nil)
  }

  private mutating func toClient(_ index: Int, _ kind: WorldEvent.Kind, value: Int64 = 0) {
    let sent = max(now, machines[index].toClient)
    let arrival = max(now + settings.link.delay(&linkChance), sent)
    machines[index].toClient = arrival
    wheel.add(
      kind, at: arrival, subject: worldNumber(index), connection: machines[index].connection, value: value)
  }

  /// Gives a session an event and performs its effects.
  ///
  /// - Parameters:
  ///   - index: The number of the client.
  ///   - event: The event.
  ///   - expiry: The expiry of the token that came with it; nil if the token came with the upgrade.
  mutating func tellSession(_ index: Int, _ event: SessionEvent, presented expiry: Int64? = 0) {
    var effects: [SessionEffect] = []
    swap(&effects, &sessionEffects)
    let instant = Instant(nanoseconds: now)
    machines[index].session.handle(event, at: instant, into: &effects)
    var done = 0
    while done < effects.count {
      switch effects[done] {
      case .verify(let attempt, _):
        let verdict = expiry.map { judge($0, index) } ?? judgeUpgrade(index)
        machines[index].session.handle(.verified(attempt: attempt, verdict), at: instant, into: &effects)
      case .send(let message):
        if machines[index].gatewayEnd == .open { send(message, index) }
      case .close(let reason):
        guard machines[index].gatewayEnd == .open else { break }
        machines[index].gatewayEnd = .closing
        toClient(index, .gatewayClosed, value: Int64(wire?.closeCodes[reason.code] ?? reason.code))
      case .abort:
        if machines[index].gatewayEnd != .none { toClient(index, .gatewayClosed, value: -1) }
        machines[index].gatewayEnd = .none
      case .perform, .logOut, .record: break
      }
      done += 1
    }
    effects.removeAll(keepingCapacity: true)
    swap(&effects, &sessionEffects)
    setSessionDue(index)
  }

  private mutating func send(_ message: OutboundMessage, _ index: Int) {
    guard says(message) else { return }
    let keyEnd = kept.isEmpty ? 0 : kept[index].end
    switch message {
    case .connected: toClient(index, .connected, value: keyEnd)
    case .refreshRequired(let cause, let timeout):
      toClient(index, .refreshRequired, value: Self.value(of: cause, timeout))
    case .refreshed: toClient(index, .refreshed, value: keyEnd)
    case .error(let error, _):
      errorNames[error.number] = error.name
      toClient(index, .error, value: Int64(error.number))
    case .loginRefused(let error, _):
      errorNames[error.number] = error.name
      toClient(index, .refusal, value: Int64(error.number))
    case .pong: toClient(index, .ponged)
    case .loggedOut, .closing: return
    }
  }

  mutating func judge(_ expiry: Int64, _ index: Int) -> Result<Acceptance, GatewayError> {
    let times = wire?.times ?? Self.usualTimes
    guard now < expiry + times.leeway.nanoseconds else { return .failure(.tokenExpired) }
    guard expiry % 1000 >= revocations else { return .failure(.tokenRevoked) }
    guard !kept.isEmpty else {
      return .success(acceptance(tokenEnd: expiry, end: expiry, renewal: .expiry, lead: nil, index))
    }
    kept[index].begin(until: expiry, times, at: now)
    kept[index].end = kept[index].end / 1000 * 1000 + expiry % 1000
    return .success(acceptance(of: kept[index], index))
  }

  mutating func acceptance(
    tokenEnd: Int64, end: Int64, renewal: RefreshCause, lead: Duration?, _ index: Int
  ) -> Acceptance {
    let fingerprint = TokenFingerprint(high: UInt64(index), low: UInt64(bitPattern: tokenEnd))
    var token = VerifiedToken(user: Self.user, kind: .regular, fingerprint: fingerprint, renewal: renewal)
    token.refreshLead = lead
    return Acceptance(
      token, expiresAt: Instant(nanoseconds: end), spreadShare: gatewayChance.nextShare())
  }

  private mutating func setSessionDue(_ index: Int) {
    guard let due = machines[index].session.nextDeadline?.nanoseconds, due < machines[index].sessionDue else { return }
    machines[index].sessionDue = due
    wheel.add(.sessionDue, at: due, subject: worldNumber(index))
  }

  mutating func sessionIsDue(_ index: Int, _ time: Int64) {
    guard machines[index].sessionDue == time else { return }
    machines[index].sessionDue = .max
    tellSession(index, .wakeUp)
  }
}
