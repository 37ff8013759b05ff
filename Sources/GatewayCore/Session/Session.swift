/// The life of one connection as a pure value: no I/O, no clock, no chance. Given that ann's token is due and it is 12:00, for
/// instance, it answers that she is to be asked for another.
///
/// Duties, each an invariant that the exhaustive exploration in the tests checks after every step:
/// 1. An anonymous user never becomes active, unless the wire's policy admits them.
/// 2. Nobody stays active past expiry plus the refresh time-out.
/// 3. One refresh request for each expiry.
/// 4. Nothing is sent after the close, and there is exactly one close.
/// 5. An answer to an older question is dropped.
/// 6. Who the session is changes only by a login, and only after the one before has been logged out.
///
/// Every event is answered in every phase: what a peer, a clock, a store or an operator can cause never traps. A deadline
/// that has passed is handled before the event that finds it passed, so a late wake-up changes nothing.
package struct Session: Hashable, Sendable {
  /// A stage of the session's life, holding just what exists there: `refreshing` has the grant and until when the
  /// gateway waits, for instance.
  package enum Phase: Hashable, Sendable {
    /// Connected, not logged in.
    case awaitingCredentials(until: Instant)
    /// The first token is being judged.
    case authenticating(attempt: UInt32, until: Instant)
    /// Not let in, and told so; the client may read that and go by itself before it is closed.
    case refused(CloseReason, until: Instant)
    /// Logged in.
    case active(Grant)
    /// Logged in, and asked for another token.
    case refreshing(Grant, RefreshWait)
    /// Logged in, and another token is being judged. `wait` is nil until the refresh is due.
    case verifyingRefresh(attempt: UInt32, Grant, RefreshWait?, request: RequestID?)
    /// Logged in, told that the gateway drains.
    case draining(Grant, until: Instant)
    /// The close frame is sent, the peer's has not arrived.
    case closing(CloseReason, until: Instant)
    case closed(CloseReason)
  }

  /// A refresh request that waits for its answer: asked at 12:00, until 12:01, since the token expires, for instance.
  package struct RefreshWait: Hashable, Sendable {
    package var askedAt: Instant
    package var until: Instant
    package var cause: RefreshCause
    /// Whether the client has been told. A request that falls due while a token is being judged is held back: the
    /// verdict may make it needless.
    package var isTold: Bool
  }

  package let id: ConnectionID
  private let sharedPolicy: SharedSessionPolicy
  package private(set) var phase: Phase
  /// The number of the newest question.
  package private(set) var attempt: UInt32 = 0
  /// Tokens refused since the last that was accepted.
  private var refusals: UInt32 = 0
  /// Messages in a row that meant nothing.
  private var malformed: UInt32 = 0
  /// Which login message waits for its answer.
  private(set) var loginRequest: RequestID?
  /// What the last accepted credentials left behind for whoever judges the next: ``VerifiedToken/notes``.
  package private(set) var notes: Baggage?

  /// A session whose socket opened at `now`.
  package init(id: ConnectionID, policy: SharedSessionPolicy, now: Instant) {
    self.id = id
    sharedPolicy = policy
    phase = .awaitingCredentials(until: now + policy.policy.loginTimeout)
  }

  package var policy: SessionPolicy { sharedPolicy.policy }

  /// When the session wants a ``SessionEvent/wakeUp``; nil if nothing is due ever.
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

  /// What the accepted token grants; nil before login and after the close.
  package var grant: Grant? {
    switch phase {
    case .active(let grant), .refreshing(let grant, _), .verifyingRefresh(_, let grant, _, _), .draining(let grant, _):
      grant
    case .awaitingCredentials, .authenticating, .refused, .closing, .closed:
      nil
    }
  }

  /// Why another token has been asked for, while none has been accepted; nil if none is.
  package var askedFor: RefreshCause? {
    switch phase {
    case .refreshing(_, let wait), .verifyingRefresh(_, _, let wait?, _): wait.cause
    default: nil
    }
  }

  /// Whether the session's life is over.
  package var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// Moves the session on by one event at `now`, appending what is to be done to `effects`, in order. Returns where it then
  /// stands.
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

  /// Does all that is due: what is left is later than `now`.
  private mutating func passDeadlines(at now: Instant, into effects: inout [SessionEffect]) {
    while let deadline = nextDeadline, deadline <= now {
      passDeadline(at: now, into: &effects)
    }
  }

  /// Does what is due; moves ``nextDeadline`` on, always.
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
    case .refreshing(let grant, _), .verifyingRefresh(_, let grant, _, _):
      end(grant, .refreshTimeout, at: now, into: &effects)
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

  /// The transport is gone.
  mutating func end(_ reason: CloseReason, into effects: inout [SessionEffect]) {
    effects.append(.record(.ended(reason)))
    phase = .closed(reason)
  }

  /// Puts a new question.
  mutating func verify(_ credentials: Credentials, into effects: inout [SessionEffect]) -> UInt32 {
    attempt &+= 1
    effects.append(.verify(attempt: attempt, credentials))
    return attempt
  }

  mutating func refuse(_ error: GatewayError, request: RequestID?, into effects: inout [SessionEffect]) {
    effects.append(.send(.error(error, request: request)))
  }

  /// Answers a message nobody understands; too many in a row end the session.
  mutating func handleMalformed(_ error: GatewayError, at now: Instant, into effects: inout [SessionEffect]) {
    effects.append(.record(.malformed(error)))
    refuse(error, request: nil, into: &effects)
    malformed += 1
    if Int(malformed) >= policy.malformedMax { close(.tooManyFailures, at: now, into: &effects) }
  }

  /// Counts a refused token; true if it was one too many.
  mutating func countRefusal() -> Bool {
    refusals += 1
    return Int(refusals) >= policy.refusedRefreshesMax
  }

  /// Keeps what the judge of these credentials wants to be told again.
  mutating func keepNotes(of acceptance: Acceptance) {
    notes = acceptance.token.notes
  }

  mutating func forgetNotes() {
    notes = nil
  }

  mutating func forgetRefusals() {
    refusals = 0
  }

  mutating func rememberLogin(_ request: RequestID?) {
    loginRequest = request
  }
}
