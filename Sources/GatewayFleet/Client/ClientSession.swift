package import GatewayCore
internal import GatewayRuntime

/// A storm's client as a pure value. Time and randomness are parameters, and its actions are a list of effects.
///
/// The client has one socket and one request to the provider at a time. An answer of the provider to an earlier request
/// is recognized by its number and dropped.
package struct ClientSession: Sendable {
  package let behaviour: Behaviour
  private let sharedPolicy: SharedClientPolicy
  package internal(set) var phase = Phase.idle
  /// The number of its refreshes.
  package internal(set) var refreshes = 0
  /// The number of its logins.
  package internal(set) var logins = 0
  /// The kind of loss if a login was lost for good. An unexpected loss takes precedence.
  package internal(set) var loss: Loss?
  /// Whether its tokens expire within the storm; false if it got one for a login after the common expiry.
  package var isDue = true
  /// The timeout that the gateway announced in the latest request.
  var announcedTimeout: Duration?
  /// The token, if the client may need it again.
  package internal(set) var token: Credentials?
  /// Whether the token is the provider's latest, and no login or refresh has shown it to the gateway yet.
  var isTokenUnseen = false
  /// The session key with which the client comes back instead of the token.
  package internal(set) var key: Credentials?
  /// The gateway's name for the connection, and its greeting, for clients that need them.
  package internal(set) var connection: String?
  package internal(set) var greeting: String?
  /// The signs of life, for a client that watches for them.
  var pulse: Pulse?
  /// Whether the client ended the connection itself because it got no sign of life, and does not reconnect by itself.
  var hasDespaired = false
  /// The way back to the gateway, by the SDK's habit or by the plan.
  var outage: Outage?
  /// The gateway's own times for coming back, which replace the SDK's.
  var toldSchedule: ReturnSchedule?
  /// Whether there is a socket, open or being dialled, that has not been reported closed.
  package var hasSocket = false
  /// The number of the latest request to the provider.
  package var fetchNumber: UInt32 = 0
  /// Attempts to connect since the last success.
  var tries = 0
  /// The ends of the client's tokens, for a client that renews by them.
  var clock = TokenClock()
  /// The number of the message that the login sends when its token arrives, for a client that asks at need.
  var tokenCue: Int?

  /// The kind of loss of a login. A client that never answers has an expected one.
  package enum Loss: Hashable, Sendable {
    case expected
    case unexpected
  }

  /// A stage of the client's life.
  package enum Phase: Hashable, Sendable {
    case idle
    /// The provider is being asked for the login's token.
    case obtaining(tries: Int)
    case waitingToObtain(tries: Int, until: Instant)
    case dialling(Credentials, since: Instant)
    case loggingIn(since: Instant)
    /// The gateway has refused the login, and its close decides whether the client reconnects.
    case refused(number: Int, name: String, since: Instant)
    case live
    case refreshing(Refresh)
    /// The close frame is sent.
    case leaving(wasLive: Bool)
    /// The client was disconnected or refused; it comes back at `until`, as the plan orders.
    case away(until: Instant)
    /// The client was disconnected or refused; it is on its way back by its SDK's habit.
    case returning(ReturnStep)
    /// The dial took too long and is useless, but the transport has not reported its end.
    case abandoned
    case ended
  }

  /// A refresh request, and the client's progress with it.
  package struct Refresh: Hashable, Sendable {
    package var askedAt: Instant
    /// The time at which the gateway's timeout ends.
    package var until: Instant
    /// The number of requests to the provider for it.
    package var calls = 0
    /// The number of answers that the gateway refused.
    package var refusals = 0
    /// The number of requests for a key over HTTP.
    package var keyCalls = 0
    /// Whether the existing token was tried first, before another was requested.
    package var isTrial = false
    /// Whether the request over HTTP that renews waits to be repeated, with the token at hand.
    package var isAtRequest = false
    package var step: Step

    /// The client's current step in a refresh.
    package enum Step: Hashable, Sendable {
      /// A slow client's delay.
      case delaying(until: Instant)
      case fetching
      /// The provider was busy or failed.
      case backingOff(until: Instant)
      /// The token is sent; after `until` the client tries another way.
      case answering(until: Instant?)
      /// A key is requested from the gateway over HTTP.
      case fetchingKey
      /// Garbage was sent; more may follow.
      case muttering(next: Instant?, left: Int)
      /// Nothing more will be sent for this request.
      case silent
    }
  }

  package init(_ behaviour: Behaviour, policy: SharedClientPolicy) {
    self.behaviour = behaviour
    sharedPolicy = policy
  }

  /// Creates a client with its own policy.
  package init(_ behaviour: Behaviour, policy: ClientPolicy) {
    self.init(behaviour, policy: SharedClientPolicy(policy))
  }

  package var policy: ClientPolicy { sharedPolicy.policy }

  var habits: ClientHabits { policy.habits }

  /// The next instant at which the client needs a wake-up; nil if it only waits for events.
  package var nextDeadline: Instant? {
    switch phase {
    case .waitingToObtain(_, let until): until
    // There is one socket at a time: a failed attempt may still be closing.
    case .away(let until): hasSocket ? nil : until
    case .dialling(_, let since): since + policy.connectTimeout
    case .loggingIn(let since): clock.acceptedAt.map { $0 + habits.settle } ?? since + policy.connectTimeout
    case .refused(_, _, let since): since + policy.connectTimeout
    case .live: earlier(clock.renewalDue, pulse?.deadline)
    case .refreshing(let refresh): earlier(Self.deadline(of: refresh.step), pulse?.deadline)
    case .returning(let step): step.deadline
    case .idle, .obtaining, .leaving, .abandoned, .ended: nil
    }
  }

  private static func deadline(of step: Refresh.Step) -> Instant? {
    switch step {
    case .delaying(let until), .backingOff(let until): until
    case .muttering(let next, _): next
    case .answering(let until): until
    case .fetching, .fetchingKey, .silent: nil
    }
  }

  private func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// Handles one event and appends the effects that follow from it.
  package mutating func handle(
    _ event: ClientEvent, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    switch event {
    case .start:
      if phase == .idle { obtain(tries: 0, at: now, into: &effects) }
    case .fetched(let number, let answer):
      if number == fetchNumber { fetched(answer, at: now, chance: &chance, into: &effects) }
    case .opened: opened(at: now, into: &effects)
    case .dialFailed(let failure):
      hasSocket = false
      dialFailed(failure, at: now, chance: &chance, into: &effects)
    case .heard(let notice): heard(notice, at: now, chance: &chance, into: &effects)
    case .closed(let code, let text):
      hasSocket = false
      tokenCue = nil
      closed(code, text, at: now, chance: &chance, into: &effects)
    case .wakeUp: wakeUp(at: now, chance: &chance, into: &effects)
    case .stop: stop(into: &effects)
    }
    setRenewal(at: now, chance: &chance)
  }

  private mutating func fetched(
    _ answer: ProviderAnswer, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    switch phase {
    case .obtaining(let tries): obtained(answer, tries: tries, at: now, chance: &chance, into: &effects)
    case .refreshing(let refresh) where refresh.step == .fetching:
      renewed(answer, refresh, at: now, chance: &chance, into: &effects)
    case .refreshing(let refresh) where refresh.step == .fetchingKey:
      if habits.refresh.how == .http {
        requestAnswered(answer, refresh, at: now, chance: &chance, into: &effects)
      } else {
        keyArrived(answer, refresh, at: now, into: &effects)
      }
    case .returning(.asking): renewedAway(answer, at: now, chance: &chance, into: &effects)
    case .returning(.askingForKey): keyArrivedAway(answer, at: now, chance: &chance, into: &effects)
    case .loggingIn where tokenCue != nil: arrivedAtNeed(answer, at: now, chance: &chance, into: &effects)
    case .idle, .waitingToObtain, .dialling, .loggingIn, .refused, .live, .refreshing, .leaving, .away, .returning,
      .abandoned, .ended:
      return
    }
  }

  private mutating func heard(
    _ notice: ServerNotice, at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    noteLife(notice, at: now)
    switch notice {
    case .connected(_, let welcome): connected(welcome, at: now, into: &effects)
    case .refreshRequired(let timeout, let means): asked(timeout, means, at: now, into: &effects)
    case .refreshed: refreshed(at: now, into: &effects)
    case .keyRenewed(let key):
      if habits.sessionKey?.adoptsNewKey ?? true { self.key = key }
      refreshed(at: now, into: &effects)
    case .error(let number, let name): failed(number, name, at: now, chance: &chance, into: &effects)
    case .busy(let wait): sentAway(for: wait, at: now, into: &effects)
    case .sessionClosed(let name): sessionClosed(name, into: &effects)
    case .remark(let name): effects.append(.record(.error(name)))
    case .goodbye(let verdict, let name): goodbye(verdict, name, at: now, chance: &chance, into: &effects)
    case .cue(let number): answerCue(number, into: &effects)
    case .tokenCue(let number): askAtNeed(for: number, into: &effects)
    case .pushed(let token): pushed(token, at: now, into: &effects)
    case .tokenLife(let life): clock.toldEnd = now + life
    case .closing, .alive: return
    }
  }

  private mutating func wakeUp(
    at now: Instant, chance: inout SeededGenerator, into effects: inout [ClientEffect]
  ) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    switch phase {
    case .waitingToObtain(let tries, _): obtain(tries: tries, at: now, into: &effects)
    case .away: obtain(tries: 0, at: now, into: &effects)
    case .loggingIn(let since) where clock.acceptedAt != nil:
      loggedIn(since: since, acceptedAt: clock.acceptedAt ?? now, at: now, into: &effects)
    case .refused(let number, let name, _): refusedForGood(number, name, into: &effects)
    case .dialling, .loggingIn: connectTimedOut(at: now, chance: &chance, into: &effects)
    case .live where clock.isRenewalDue(at: now): renewInTime(at: now, chance: &chance, into: &effects)
    case .live: beat(at: now, chance: &chance, into: &effects)
    case .refreshing(let refresh):
      if let until = Self.deadline(of: refresh.step), until <= now {
        resume(refresh, at: now, into: &effects)
      } else {
        beat(at: now, chance: &chance, into: &effects)
      }
    case .returning(let step): resume(step, at: now, chance: &chance, into: &effects)
    case .idle, .obtaining, .leaving, .abandoned, .ended: return
    }
  }

  /// Asks the provider; answers to earlier requests are then ignored.
  mutating func fetch(_ purpose: FetchPurpose, into effects: inout [ClientEffect]) {
    fetchNumber &+= 1
    effects.append(.fetch(number: fetchNumber, purpose))
  }
}
