package import GatewayCore
internal import GatewayRuntime

/// A storm's client as a pure value: given that the gateway asks it for a token, for instance, it answers that the
/// provider is to be asked for one. Time and chance are parameters; what it wants done is a list.
///
/// The client has one socket and one request to the provider at a time. An answer of the provider to an earlier request
/// is known by its number and dropped.
package struct ClientSession: Sendable {
  package let behaviour: Behaviour
  private let sharedPolicy: SharedClientPolicy
  package internal(set) var phase = Phase.idle
  /// How often it was refreshed.
  package internal(set) var refreshes = 0
  /// How often it was logged in.
  package internal(set) var logins = 0
  /// Whether a login was lost for good, and whether one was that should not have been.
  package internal(set) var loss: Loss?
  /// Whether its tokens expire within the storm; not so if it got one for a login after the common expiry.
  package var isDue = true
  /// The timeout that the gateway announced last.
  var announcedTimeout: Duration?
  /// The token it has, if it may want it again.
  package internal(set) var token: Credentials?
  /// Whether the token is the provider's latest, which no login or refresh has shown the gateway yet.
  var isTokenUnseen = false
  /// What it comes back with in place of the token.
  package internal(set) var key: Credentials?
  /// What the gateway called its connection, and its greeting, where it needs them.
  package internal(set) var connection: String?
  package internal(set) var greeting: String?
  /// The signs of life, for a client that looks for them.
  var pulse: Pulse?
  /// Whether it has ended the connection itself for want of them, and has no way back of its own.
  var hasDespaired = false
  /// The way back to the gateway, of its SDK's own accord or as the plan has it.
  var outage: Outage?
  /// The gateway's own times for coming back, in place of the SDK's.
  var toldSchedule: ReturnSchedule?
  /// Whether there is a socket, open or on its way, that has not been reported closed.
  package var hasSocket = false
  /// The number of the latest question to the provider.
  package var fetchNumber: UInt32 = 0
  /// Attempts to connect since the last that succeeded.
  var tries = 0
  /// When its tokens end, for a client that goes by that.
  var clock = TokenClock()
  /// What the login says once its token has come, of a client that asks for it only then.
  var tokenCue: Int?

  /// The kind of loss of a login: an expected one, for instance, of a client that never answers.
  package enum Loss: Hashable, Sendable {
    case expected
    case unexpected
  }

  /// A stage of the client's life: it waits to ask the provider a second time, for instance.
  package enum Phase: Hashable, Sendable {
    case idle
    /// The provider is being asked for the login's token.
    case obtaining(tries: Int)
    case waitingToObtain(tries: Int, until: Instant)
    case dialling(Credentials, since: Instant)
    case loggingIn(since: Instant)
    case live
    case refreshing(Refresh)
    /// The close frame is sent.
    case leaving(wasLive: Bool)
    /// Cut off or not let in; comes back at `until`, as the plan has it.
    case away(until: Instant)
    /// Cut off or not let in; on its way back, as its SDK has it.
    case returning(ReturnStep)
    /// The dial took too long and is of no more use, but the transport has not said how it ended.
    case abandoned
    case ended
  }

  /// A refresh request, and how far the client is with it: the provider was asked once and refused, for instance.
  package struct Refresh: Hashable, Sendable {
    package var askedAt: Instant
    /// When the gateway will have lost its patience.
    package var until: Instant
    /// How often the provider was asked on its account.
    package var calls = 0
    /// How often the gateway refused an answer.
    package var refusals = 0
    /// How often a key was asked for over HTTP.
    package var keyCalls = 0
    /// Whether the token in hand was tried first, before anybody was asked for another.
    package var isTrial = false
    package var step: Step

    /// The step that the client is at: the token is sent, for instance, and the gateway has not answered.
    package enum Step: Hashable, Sendable {
      /// A slow client's leisure.
      case delaying(until: Instant)
      case fetching
      /// The provider was busy or failed.
      case backingOff(until: Instant)
      /// The token is sent; after `until` another way is tried.
      case answering(until: Instant?)
      /// The gateway is asked for a key over HTTP.
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

  /// A client with a policy of its own.
  package init(_ behaviour: Behaviour, policy: ClientPolicy) {
    self.init(behaviour, policy: SharedClientPolicy(policy))
  }

  package var policy: ClientPolicy { sharedPolicy.policy }

  var habits: ClientHabits { policy.habits }

  /// When it wants to be woken; nil if only others can move it.
  package var nextDeadline: Instant? {
    switch phase {
    case .waitingToObtain(_, let until): until
    // One socket at a time: an attempt that failed may still be closing.
    case .away(let until): hasSocket ? nil : until
    case .dialling(_, let since): since + policy.connectTimeout
    case .loggingIn(let since): clock.acceptedAt.map { $0 + habits.settle } ?? since + policy.connectTimeout
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

  /// Takes one event and appends what is to be done about it.
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
      keyArrived(answer, refresh, at: now, into: &effects)
    case .returning(.asking): renewedAway(answer, at: now, chance: &chance, into: &effects)
    case .returning(.askingForKey): keyArrivedAway(answer, at: now, chance: &chance, into: &effects)
    case .loggingIn where tokenCue != nil: arrivedAtNeed(answer, at: now, chance: &chance, into: &effects)
    case .idle, .waitingToObtain, .dialling, .loggingIn, .live, .refreshing, .leaving, .away, .returning, .abandoned,
      .ended:
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

  /// Asks the provider; whatever it answered to earlier questions is of no interest any more.
  mutating func fetch(_ purpose: FetchPurpose, into effects: inout [ClientEffect]) {
    fetchNumber &+= 1
    effects.append(.fetch(number: fetchNumber, purpose))
  }
}
