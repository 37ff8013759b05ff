/// The state machine of one connection, as a pure value: no I/O, no clock, no random numbers.
///
/// Its invariants, which the exhaustive exploration in the tests checks after every step:
/// 1. An anonymous user never becomes active, unless the wire's policy admits them.
/// 2. No session stays active past expiry plus the refresh timeout. If tokens cannot be judged: plus the longest outage.
/// 3. There is one refresh request for each expiry, and one more after each wait in which a token could not be judged.
/// 4. Nothing is sent after the close, and there is exactly one close.
/// 5. The answer to an older verification is dropped.
/// 6. The session's identity changes only by a login, and only after the user before has been logged out.
///
/// Every event is handled in every phase: nothing that a peer, a clock, a store or an operator can cause traps. A
/// deadline that has passed is handled before the event that comes after it, so a late wake-up changes nothing.
package struct Session: Hashable, Sendable {
  /// A phase of the session's life, with the values that exist in it.
  package enum Phase: Hashable, Sendable {
    /// Connected, not logged in.
    case awaitingCredentials(until: Instant)
    /// The first token is being verified.
    case authenticating(attempt: UInt32, until: Instant)
    /// The login was refused and the client was told. The client may read the error and close by itself before it is
    /// closed.
    case refused(CloseReason, until: Instant)
    /// Logged in.
    case active(Grant)
    /// Logged in, and another token has been requested.
    case refreshing(Grant, RefreshWait)
    /// Logged in, and another token is being verified. `wait` is nil until the refresh is due.
    case verifyingRefresh(attempt: UInt32, Grant, RefreshWait?, request: RequestID?)
    /// Logged in, and the client was told that the gateway drains.
    case draining(Grant, until: Instant)
    /// The close frame has been sent, and the peer's has not arrived.
    case closing(CloseReason, until: Instant)
    case closed(CloseReason)
  }

  /// A refresh request that waits for its answer.
  package struct RefreshWait: Hashable, Sendable {
    package var askedAt: Instant
    package var until: Instant
    package var cause: RefreshCause
    /// Whether the client has been told. A request that falls due while a token is being verified is held back: the
    /// verdict may make it unnecessary.
    package var isTold: Bool
    /// Whether the last token since the request could not be verified. The client is then asked again at the end of the
    /// wait.
    package var isUnjudged = false
  }

  package let id: ConnectionID
  private let sharedPolicy: SharedSessionPolicy
  package private(set) var phase: Phase
  /// The number of the newest verification.
  package private(set) var attempt: UInt32 = 0
  /// The number of refused tokens since the last accepted one.
  private var refusals: UInt32 = 0
  /// The number of malformed messages in a row.
  private var malformed: UInt32 = 0
  /// The login message that waits for its answer.
  private(set) var loginRequest: RequestID?
  /// The authenticator's notes with the last accepted credentials, for the verification of the next:
  /// ``VerifiedToken/notes``.
  package private(set) var notes: Baggage?

  /// Creates a session whose socket opened at `now`.
  package init(id: ConnectionID, policy: SharedSessionPolicy, now: Instant) {
    self.id = id
    sharedPolicy = policy
    phase = .awaitingCredentials(until: now + policy.policy.loginTimeout)
  }

  package var policy: SessionPolicy { sharedPolicy.policy }

  /// The time at which the session needs a ``SessionEvent/wakeUp``; nil if nothing will ever be due.
  package var nextDeadline: Instant? {
    switch phase {
    case .awaitingCredentials(let until), .authenticating(_, let until), .refused(_, let until),
      .draining(_, let until), .closing(_, let until):
      until
    case .refreshing(_, let wait):
      wait.until
    case .active(let grant):
      grant.askAt == .distantFuture ? nil : grant.askAt
    case .verifyingRefresh(_, let grant, let wait, _):
      wait?.until ?? (grant.askAt == .distantFuture ? nil : grant.askAt)
    case .closed:
      nil
    }
  }

  /// The grant of the accepted token; nil before login and after the close.
  package var grant: Grant? {
    switch phase {
    case .active(let grant), .refreshing(let grant, _), .verifyingRefresh(_, let grant, _, _), .draining(let grant, _):
      grant
    case .awaitingCredentials, .authenticating, .refused, .closing, .closed:
      nil
    }
  }

  /// The cause of a refresh request that no accepted token has answered yet; nil if there is none.
  package var askedFor: RefreshCause? {
    switch phase {
    case .refreshing(_, let wait), .verifyingRefresh(_, _, let wait?, _): wait.cause
    default: nil
    }
  }

  /// Whether the session has ended.
  package var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Handles one event at `now`, and appends the resulting effects to `effects`, in order. Returns the session's
  /// standing after the event.
  @discardableResult
  package mutating func handle(
    _ event: SessionEvent, at now: Instant, into effects: inout [SessionEffect]
  ) -> SessionStanding {
    passDeadlines(at: now, into: &effects)
    if case .received = event { malformed = 0 }
    switch phase {
    case .awaitingCredentials(let until):
      handleAwaiting(event, until: until, at: now, into: &effects)
    case .authenticating(let attempt, let until):
      handleAuthenticating(event, attempt: attempt, until: until, at: now, into: &effects)
    case .refused(let reason, _):
      handleRefused(event, reason, at: now, into: &effects)
    case .active(let grant):
      handleActive(event, grant, at: now, into: &effects)
    case .refreshing(let grant, let wait):
      handleRefreshing(event, grant, wait, at: now, into: &effects)
    case .verifyingRefresh(let attempt, let grant, let wait, let request):
      handleVerifyingRefresh(event, attempt, grant, wait, request, at: now, into: &effects)
    case .draining(let grant, _):
      handleDraining(event, grant, at: now, into: &effects)
    case .closing(let reason, _):
      handleClosing(event, reason, into: &effects)
    case .closed:
      break
    }
    passDeadlines(at: now, into: &effects)
    return standing
  }

  /// Handles everything that is due. Afterwards the next deadline is later than `now`.
  private mutating func passDeadlines(at now: Instant, into effects: inout [SessionEffect]) {
    while let deadline = nextDeadline, deadline <= now {
      passDeadline(at: now, into: &effects)
    }
  }

  /// Handles the deadline that is due, and always moves ``nextDeadline``.
  private mutating func passDeadline(at now: Instant, into effects: inout [SessionEffect]) {
    switch phase {
    case .awaitingCredentials, .authenticating:
      effects.append(.send(.error(.connectionRequired, request: loginRequest)))
      close(.loginTimeout, at: now, into: &effects)
    case .refused(let reason, _):
      close(reason, at: now, into: &effects)
    case .active(let grant):
      ask(grant, grant.renewal, at: now, into: &effects)
    case .verifyingRefresh(let attempt, let grant, nil, let request):
      let wait = makeWait(grant, grant.renewal, at: now, isTold: false)
      phase = .verifyingRefresh(attempt: attempt, grant, wait, request: request)
    case .refreshing(let grant, let wait):
      if let longer = prolong(wait, grant, at: now) {
        phase = .refreshing(grant, longer)
        tell(longer, at: now, into: &effects)
      } else {
        end(grant, .refreshTimeout, at: now, into: &effects)
      }
    case .verifyingRefresh(let attempt, let grant, let wait?, let request):
      if let longer = prolong(wait, grant, at: now) {
        // The client is not told, since it waits for an answer already.
        phase = .verifyingRefresh(attempt: attempt, grant, longer, request: request)
      } else {
        end(grant, .refreshTimeout, at: now, into: &effects)
      }
    case .draining:
      close(.serviceRestart, at: now, into: &effects)
    case .closing(let reason, _):
      effects.append(.abort)
      end(reason, into: &effects)
    case .closed:
      return
    }
  }
}

// MARK: - Moves that several phases share

extension Session {
  mutating func move(to phase: Phase) {
    self.phase = phase
  }

  /// Starts the closing handshake.
  mutating func close(_ reason: CloseReason, at now: Instant, into effects: inout [SessionEffect]) {
    effects.append(.close(reason))
    phase = .closing(reason, until: now + policy.closeTimeout)
  }

  /// Ends the session after its transport has ended.
  mutating func end(_ reason: CloseReason, into effects: inout [SessionEffect]) {
    effects.append(.record(.ended(reason)))
    phase = .closed(reason)
  }

  /// Requests the verification of credentials, under a new number.
  mutating func verify(_ credentials: Credentials, into effects: inout [SessionEffect]) -> UInt32 {
    attempt &+= 1
    effects.append(.verify(attempt: attempt, credentials))
    return attempt
  }

  mutating func refuse(_ error: GatewayError, request: RequestID?, into effects: inout [SessionEffect]) {
    effects.append(.send(.error(error, request: request)))
  }

  /// Answers a message that cannot be decoded; too many in a row end the session.
  mutating func handleMalformed(_ error: GatewayError, at now: Instant, into effects: inout [SessionEffect]) {
    effects.append(.record(.malformed(error)))
    refuse(error, request: nil, into: &effects)
    malformed += 1
    if Int(malformed) >= policy.malformedMax { close(.tooManyFailures, at: now, into: &effects) }
  }

  /// Counts a refused token; returns true if the limit is reached.
  mutating func countRefusal() -> Bool {
    refusals += 1
    return Int(refusals) >= policy.refusedRefreshesMax
  }

  /// Keeps the authenticator's notes for the verification of the next credentials.
  mutating func keepNotes(of acceptance: Acceptance) {
    notes = acceptance.token.notes
  }

  mutating func forgetNotes() {
    notes = nil
  }

  /// Lets the count of refused tokens begin anew.
  package mutating func forgetRefusals() {
    refusals = 0
  }

  mutating func rememberLogin(_ request: RequestID?) {
    loginRequest = request
  }
}
