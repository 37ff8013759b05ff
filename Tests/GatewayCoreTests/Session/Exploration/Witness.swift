import GatewayCore

/// An observer of a session from outside, by its events and effects alone, which reports the rules that a step breaks.
///
/// It keeps its own records (the login, the token's expiry, requests and messages), so that an error in the machine's
/// state cannot hide itself.
struct Witness: Hashable {
  /// The login of an accepted token, as the witness understood it.
  private struct Login: Hashable {
    var user: UserID
    var kind: UserKind
    var fingerprint: TokenFingerprint
    var expiresAt: Instant
    var renewal: RefreshCause
  }

  /// A refresh request that the client has received.
  private struct Ask: Hashable {
    var at: Instant
    var timeout: Duration
  }

  private let policy: SessionPolicy
  private var login: Login?
  /// Whether a logout is in progress.
  private var isLeaving = false
  /// The start of the login timeout.
  private var waitsSince = Instant.zero
  /// The refresh request since the last accepted token.
  private var ask: Ask?
  /// The first request or unjudged token of the present outage; nil if every token was judged.
  private var outageSince: Instant?
  /// The latest time until which the outage can keep the session.
  private var graceUntil = Instant.zero
  /// Whether a second request may be sent, because the last token could not be judged.
  private var mayAskAgain = false
  private var isRevoked = false
  /// The earliest order or deadline since the last accepted token that requires a new one.
  private var dueSince: Instant?
  /// The question without an answer so far.
  private var question: UInt32?
  private var lastQuestion: UInt32 = 0
  private var refusedTokens = 0
  private var malformedInARow = 0
  private var drainsUntil: Instant?
  private var refusedAt: Instant?
  private var closedWith: CloseReason?
  private var closedAt: Instant?
  private var isEnded = false

  init(policy: SessionPolicy) {
    self.policy = policy
  }

  /// Returns the rules that the step breaks: `event` at `now` led from `before` to `after` with these effects.
  mutating func watch(
    _ event: SessionEvent, at now: Instant, _ effects: [SessionEffect], after: Session
  ) -> [String] {
    var broken: [String] = []
    let wasClosing = closedWith != nil || isEnded
    noteOrders(event, at: now)
    if case .verified(let number, _) = event, number != question || wasClosing {
      let isAnswered = effects.contains {
        switch $0 {
        case .send(.connected), .send(.refreshed), .record(.loggedIn), .record(.refreshed), .record(.refreshRefused),
          .record(.loginRefused):
          true
        default: false
        }
      }
      if isAnswered { broken.append("an answer to an older question is used") }
    }
    for effect in effects { broken += watch(effect, of: event, at: now) }
    broken += rulesOfState(after, at: now)
    if refusedAt == nil, case .received = event, !wasClosing, closedWith == nil, !isEnded, !Self.isAnswered(effects) {
      broken.append("a message in an open phase gets no answer")
    }
    return broken + rulesOfEndings(event, effects, after, wasClosing: wasClosing)
  }

  /// Checks that events which must end the session do so in every phase, and that a remaining peer is dropped at the
  /// end.
  private func rulesOfEndings(
    _ event: SessionEvent, _ effects: [SessionEffect], _ after: Session, wasClosing: Bool
  ) -> [String] {
    switch event {
    case .peerClosed, .transportLost:
      return after.isClosed ? [] : ["a session outlives its transport"]
    case .disconnect, .slowConsumer, .peerSilent:
      return after.standing.isClosing ? [] : ["an order to end is not obeyed"]
    case .revoked where login != nil && (policy.revocation == .close || drainsUntil != nil):
      return after.standing.isClosing ? [] : ["a revoked session goes on"]
    default:
      let ends = effects.contains { if case .record(.ended) = $0 { true } else { false } }
      return ends && !effects.contains(.abort) ? ["a session ends and leaves its transport"] : []
    }
  }

  private static func isAnswered(_ effects: [SessionEffect]) -> Bool {
    effects.contains {
      switch $0 {
      case .send, .verify, .perform: true
      case .logOut, .record, .close, .abort: false
      }
    }
  }

  private mutating func noteOrders(_ event: SessionEvent, at now: Instant) {
    switch event {
    case .received: malformedInARow = 0
    case .malformed: malformedInARow += 1
    default: break
    }
    guard login != nil, closedWith == nil, !isEnded else { return }
    switch event {
    case .expireNow:
      login!.expiresAt = min(login!.expiresAt, now)
      makeDue(now)
    // A draining session requests no more tokens.
    case .askForRefresh where drainsUntil == nil: makeDue(now)
    case .revoked where drainsUntil == nil && policy.revocation == .refresh:
      makeDue(now)
      (isRevoked, mayAskAgain) = (true, false)
    case .drain(let until): drainsUntil = min(drainsUntil ?? until, until)
    default: break
    }
  }

  private mutating func makeDue(_ now: Instant) {
    dueSince = min(dueSince ?? now, now)
  }

  // MARK: Effects

  private mutating func watch(_ effect: SessionEffect, of event: SessionEvent, at now: Instant) -> [String] {
    if isEnded { return ["something happens after the end"] }
    if let reason = closedWith {
      switch effect {
      case .abort: return now < closedAt! + policy.closeTimeout ? ["the peer is dropped before its time"] : []
      case .record(.ended(reason)):
        isEnded = true
        return []
      case .close: return ["a second close"]
      case .send, .verify, .perform, .logOut, .record: return ["something happens after the close"]
      }
    }
    if refusedAt != nil {
      switch effect {
      case .send, .verify, .perform, .logOut: return ["a client that was refused is still served"]
      case .record, .close, .abort: break
      }
    }
    switch effect {
    case .send(let message): return watch(message, of: event, at: now)
    case .verify(let number, _):
      defer { (question, lastQuestion) = (number, number) }
      return (question == nil ? [] : ["two questions at once"])
        + (number == lastQuestion + 1 ? [] : ["a reused number"])
    case .perform(_, let user, _): return login?.user == user ? [] : ["an operation of somebody who is not logged in"]
    case .logOut: return watchLogout(of: event)
    case .record(let record): return watch(record, of: event, at: now)
    case .close(let reason):
      (closedWith, closedAt) = (reason, now)
      return watchClose(reason, at: now)
    case .abort: return ["a transport is dropped that was not closed"]
    }
  }

  private mutating func watch(_ message: OutboundMessage, of event: SessionEvent, at now: Instant) -> [String] {
    switch message {
    case .connected(_, let user, let kind, _, _, _):
      guard case .verified(_, .success(let acceptance)) = event else { return ["a login without a verdict"] }
      var broken = login == nil ? [] : ["a login of somebody who is logged in"]
      broken += accept(acceptance, at: now)
      if acceptance.token.wants != nil { broken.append("a login that wants more is complete") }
      if kind == .anonymous { broken.append("an anonymous user is connected") }
      if user != acceptance.token.user || kind != acceptance.token.kind { broken.append("somebody else is connected") }
      return broken
    case .refreshed:
      guard case .verified(_, .success(let acceptance)) = event else { return ["a refresh without a verdict"] }
      return refresh(acceptance, at: now)
    case .refreshRequired(_, let timeout):
      let isSecond = ask != nil
      let isAllowed = ask.map { mayAskAgain && now >= $0.at + $0.timeout } ?? true
      defer {
        ask = Ask(at: now, timeout: timeout)
        if isSecond { mayAskAgain = false }
      }
      guard let login else { return ["a refresh request before login"] }
      var broken = isAllowed ? [] : ["a second refresh request for one expiry"]
      if timeout > policy.refreshTimeout { broken.append("more time is given than documented") }
      if dueSince == nil && now < earliestAsk(login) { broken.append("a refresh request before its time") }
      if drainsUntil != nil { broken.append("a refresh request while draining") }
      return broken
    case .error(let error, _):
      if case .verified(question, .success(let acceptance)) = event, login == nil, acceptance.token.wants == error {
        // The first half of a login: it answers its question, and counts as an effect that ends the session.
        question = nil
        refusedTokens += 1
      }
      return login == nil && event.isOperation && !error.isSame(as: .connectionRequired)
        ? ["an operation before login is not answered with 800101"] : []
    case .loginRefused:
      defer { refusedAt = now }
      return login == nil ? [] : ["a login is refused that had been accepted"]
    case .loggedOut(let user, _):
      defer { leave(at: now) }
      return isLeaving && login?.user == user ? [] : ["somebody is logged out who was not logged in"]
    case .pong, .closing: return []
    }
  }

  /// Checks that a user who is logged out requested it, or is followed by another user if the policy allows that.
  private mutating func watchLogout(of event: SessionEvent) -> [String] {
    defer { isLeaving = true }
    guard let login, !isLeaving else { return ["nobody is logged out"] }
    switch event {
    case .received(.logout): return []
    case .verified(_, .success(let acceptance)) where policy.allowsIdentityChange:
      return acceptance.token.user == login.user && acceptance.token.kind == login.kind
        ? ["the same user is logged out and in"] : []
    default: return ["a user is logged out unasked"]
    }
  }

  private mutating func leave(at now: Instant) {
    (login, isLeaving, waitsSince) = (nil, false, now)
    (ask, dueSince, question, refusedTokens) = (nil, nil, nil, 0)
    (outageSince, graceUntil, mayAskAgain, isRevoked) = (nil, .zero, false, false)
  }

  private mutating func watch(_ record: SessionRecord, of event: SessionEvent, at now: Instant) -> [String] {
    switch record {
    case .refreshRefused(let error) where error.isUnjudged:
      question = nil
      noteOutage(at: now)
      return []
    case .refreshRefused, .loginRefused:
      mayAskAgain = false
      refusedTokens += 1
      question = nil
      return refusedTokens > policy.refusedRefreshesMax
        ? ["more tokens are refused than the policy has patience for"] : []
    case .ended(let reason):
      isEnded = true
      return reason == .peerClosed || reason == .connectionLost ? [] : ["an end without a close"]
    case .malformed:
      return malformedInARow > policy.malformedMax ? ["more nonsense is answered than the policy has patience for"] : []
    case .refreshed(let after):
      let broken = after.map { $0 < .zero || ask == nil } == true ? ["a refresh that took no time"] : []
      // The client is not told of a token that was accepted elsewhere.
      guard case .renewed(let acceptance) = event else { return broken }
      // It does not answer the open question.
      let waiting = question
      defer { question = waiting }
      return broken + refresh(acceptance, at: now)
    case .loggedIn, .refreshRequested: return []
    }
  }

  /// Notes that a token could not be judged: the client has a whole timeout again, up to the longest outage, and is asked
  /// once more if it lets that pass.
  private mutating func noteOutage(at now: Instant) {
    guard let login, !isRevoked, isDue(at: now) || now >= earliestAsk(login) else { return }
    let since = outageSince ?? ask?.at ?? now
    outageSince = since
    mayAskAgain = true
    graceUntil = min(now + policy.refreshTimeout + policy.refreshTimeout, since + policy.outageMax)
    guard let ask else { return }
    let latestStart = min(dueSince ?? ask.at, ask.at, earliestAsk(login))
    let end = max(ask.at + ask.timeout, min(now + policy.refreshTimeout, latestStart + policy.outageMax))
    self.ask = Ask(at: ask.at, timeout: end - ask.at)
  }

  private mutating func refresh(_ acceptance: Acceptance, at now: Instant) -> [String] {
    guard let login else { return ["a refresh before login"] }
    var broken: [String] = acceptance.token.wants == nil ? [] : ["a session is kept by what lets nobody in"]
    if acceptance.token.user != login.user || acceptance.token.kind != login.kind {
      broken.append("the identity changes")
    }
    if isDue(at: now) && acceptance.token.fingerprint == login.fingerprint && login.renewal != .sessionEnd {
      broken.append("the token was not renewed")
    }
    if acceptance.expiresAt <= now { broken.append("an expired token is accepted as a refresh") }
    return broken + accept(acceptance, at: now)
  }

  private func watchClose(_ reason: CloseReason, at now: Instant) -> [String] {
    switch reason {
    case .refreshTimeout:
      guard let login else { return ["a refresh timeout before login"] }
      let told = ask.map { now < $0.at + $0.timeout } ?? false
      // A delayed request is recognised by what made it due.
      let untold = ask == nil && now < min(dueSince ?? .distantFuture, earliestAsk(login)) + policy.refreshTimeout
      return told || untold ? ["a client is disconnected before its timeout"] : []
    case .loginTimeout:
      return login != nil || now < waitsSince + policy.loginTimeout ? ["a login timeout that is none"] : []
    case .tooManyFailures:
      return malformedInARow < policy.malformedMax && refusedTokens < policy.refusedRefreshesMax
        ? ["a client is disconnected before it failed too often"] : []
    default: return []
    }
  }

  // MARK: Records

  private mutating func accept(_ acceptance: Acceptance, at now: Instant) -> [String] {
    login = Login(
      user: acceptance.token.user, kind: acceptance.token.kind, fingerprint: acceptance.token.fingerprint,
      expiresAt: acceptance.expiresAt,
      renewal: acceptance.token.renewal)
    (ask, dueSince, question, refusedTokens) = (nil, nil, nil, 0)
    (outageSince, graceUntil, mayAskAgain, isRevoked) = (nil, .zero, false, false)
    return drainsUntil == nil ? [] : ["a token is accepted while draining"]
  }

  /// Returns the earliest time at which the gateway may send a request to any connection of the spread.
  private func earliestAsk(_ login: Login) -> Instant {
    login.expiresAt - policy.refreshLead - policy.refreshSpread
  }

  private func isDue(at now: Instant) -> Bool {
    ask != nil || dueSince != nil || login.map { $0.expiresAt <= now } == true
  }

  // MARK: The state after the step

  private func rulesOfState(_ session: Session, at now: Instant) -> [String] {
    var broken: [String] = []
    if let deadline = session.nextDeadline, deadline <= now { broken.append("a deadline that has passed is left") }
    if isLeaving { broken.append("a user is logged out and not told") }
    if session.isClosed != isEnded { broken.append("closed without an end, or an end without closed") }
    if session.standing.isClosing != (closedWith != nil || isEnded) { broken.append("closing without a close") }
    if session.isClosed && session.nextDeadline != nil { broken.append("a deadline after the end") }
    guard let grant = session.grant else {
      if login != nil && !session.standing.isClosing { broken.append("a session forgets who it is") }
      let bound = refusedAt.map { $0 + policy.refusalLinger } ?? waitsSince + policy.loginTimeout
      if login == nil && !session.standing.isClosing && (session.nextDeadline ?? .distantFuture) > bound {
        broken.append("an unauthenticated session outlives the login timeout")
      }
      return broken
    }
    guard let login else { return broken + ["active without a login"] }
    if grant.kind == .anonymous { broken.append("an anonymous user is active") }
    if grant.user != login.user || grant.kind != login.kind { broken.append("the identity changes") }
    if grant.expiresAt != login.expiresAt { broken.append("the grant expires when neither token nor order says") }
    if now >= max(login.expiresAt + policy.refreshTimeout, graceUntil) {
      broken.append("active past expiry and timeout")
    }
    if let ask, now >= max(ask.at + ask.timeout, graceUntil) { broken.append("active past the announced timeout") }
    if let dueSince, now >= max(dueSince + policy.refreshTimeout, graceUntil) {
      broken.append("active past an order and timeout")
    }
    if let drainsUntil, now >= drainsUntil { broken.append("active past the drain") }
    if ask == nil && question == nil && drainsUntil == nil && isDue(at: now) {
      broken.append("due, but never asked for")
    }
    if login.expiresAt != .distantFuture,
      session.nextDeadline.map({ $0 > max(login.expiresAt + policy.refreshTimeout, graceUntil) }) ?? true
    {
      broken.append("the next deadline is later than expiry and timeout")
    }
    return broken
  }
}

extension SessionEvent {
  fileprivate var isOperation: Bool {
    if case .received(.command) = self { true } else { false }
  }
}
