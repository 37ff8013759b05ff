/// An SDK's behaviour that no server asks for: that it comes back from a lost connection after 0.25 to 2.5 s, for instance.
/// The default is a client without habits, which refreshes on its connection, pings nobody and comes back only if the
/// fleet's plan says so.
package struct ClientHabits: Hashable, Sendable {
  /// How it sees that its connection lives; nil if it does not look.
  package var keepAlive: KeepAliveHabit?
  /// How it comes back; nil if it does not by itself.
  package var comeback: ComebackHabit?
  /// Whether a new token ever reaches the gateway: false for an SDK that has no provider to ask.
  package var renewsTokens = true
  /// What it does with session keys; nil where there are none.
  package var sessionKey: SessionKeyHabit?
  /// When it renews its token.
  package var refresh = RefreshHabit()
  /// How long an accepted login must live to count. A gateway that lets everybody in and closes a moment later has
  /// refused: without this, clients with an old token count thousands of logins.
  package var settle = Duration.zero
  /// Whether an open connection is a login.
  package var isLoggedInAtOpen = false
  /// Whether it asks for its token only when a message of the login wants one: the token of a Pusher client is a signature
  /// of the name that the gateway has just given the connection.
  package var asksAtNeed = false

  package init() {}

  /// Whether it needs its token again after the login.
  package var keepsToken: Bool { comeback != nil || sessionKey != nil }
}

/// The pings of a client, by which it sees that its connection lives: every 25 s, and it comes back after 35 s without
/// a sign of life, for instance.
package struct KeepAliveHabit: Hashable, Sendable {
  /// The form of a client's ping: a message such as `{"type":"ping"}`, for instance.
  package enum Means: Hashable, Sendable {
    /// ``ClientMessage/ping`` in the dialect's words.
    case message
    /// A ping of RFC 6455.
    case protocolPing
  }

  /// The deed of a client when the signs of life stay away: it closes and comes back, for instance.
  package enum Despair: Hashable, Sendable {
    /// Closes with 1000 and comes back.
    case comesBack
    /// Pings no more, and keeps the connection.
    case stopsPinging
    case nothing
  }

  package var means = Means.message
  package var interval: Duration
  /// Whether the first ping follows the login at once.
  package var startsAtOnce = false
  /// Whether ``interval`` counts from the last sign of life, and not from the last ping.
  package var countsFromLife = false
  /// Whether every message puts the next ping off by a whole ``interval``.
  package var everyMessagePostpones = false
  /// Whether pings and pongs of RFC 6455 are messages too.
  package var controlFramesCount = false
  /// Whether every message is a sign of life for ``limit``, and not only the answers to pings.
  package var anyMessageCounts = false
  /// How long the signs of life may stay away.
  package var limit: Duration
  /// Whether ``limit`` counts from a ping, and not from the last sign of life.
  package var limitCountsFromPing = false
  package var despair = Despair.comesBack

  package init(every interval: Duration, limit: Duration) {
    self.interval = interval
    self.limit = limit
  }
}

/// The return of a client after the loss of its connection or the refusal of its token: it waits by its schedule, and
/// asks for a new token first where the error was one of expiry, for instance.
package struct ComebackHabit: Hashable, Sendable {
  /// The weight that a client gives an error about its token on an open connection: it waits for the close, for
  /// instance.
  package enum EventHeed: Hashable, Sendable {
    /// Nothing: only the close counts.
    case none
    /// It will ask for a token once the gateway has closed.
    case whenClosed
    /// It asks for a token, closes and comes back.
    case atOnce
  }

  package var schedule: ReturnSchedule
  /// The number of failures that the loss of a connection counts as, in the schedule.
  package var failuresAtLoss = 1
  package var heed = EventHeed.none
  /// The errors after which it asks for a token.
  package var renewingErrors: Set<Int>
  /// Whether an error of any other number keeps it from coming back.
  package var otherErrorsAreFinal = true
  /// Errors that end everything, whatever else is said.
  package var finalErrors: Set<Int> = []
  /// Whether it asks for the token before it waits.
  package var asksBeforeWaiting = false
  /// Whether a provider that gives no token ends everything, once it has been logged in.
  package var endsWithoutToken = false
  /// Whether it waits at all between the token's arrival or refusal and the next attempt.
  package var waitsWithNewToken = true
  /// Whether it takes a close with 1000 for the gateway's will, and comes back only if it looks when its
  /// ``KeepAliveHabit/limit`` is over and notices the silence.
  package var heedsNormalClose = false
  /// The share of clients that notice the silence after such a close. The others never look again.
  package var normalCloseNoticedShare = 1.0
  /// What ends and refusals mean, the first rule that holds; nil for an SDK that sees a loss in all of them.
  package var ends: [EndRule]?
  /// Which token it shows on its way back.
  package var tokenOnReturn = TokenOnReturn.kept
  /// After how many refusals it gives up; nil for the fleet's own limit.
  package var refusalsMax: Int?

  /// The token that a client comes back with: the one it has until that is refused, for instance.
  package enum TokenOnReturn: String, Hashable, Sendable, CaseIterable {
    /// A new one each time.
    case fresh
    /// The one it has, unless its end has passed.
    case unlessOver = "unless_over"
    /// The one it has, until it is refused.
    case kept
  }

  package init(_ schedule: ReturnSchedule, renewingErrors: Set<Int>) {
    self.schedule = schedule
    self.renewingErrors = renewingErrors
  }

  /// What an end of that code, with that text, means, and what it is called; nil where ends mean nothing.
  package func verdict(
    of code: Int, isHTTP: Bool, _ text: String? = nil, in phase: ClientPhase
  ) -> (verdict: ReturnVerdict, label: String?)? {
    guard let ends else { return nil }
    let rule = ends.first { $0.holds(code, isHTTP: isHTTP, text, in: phase) }
    return rule.map { ($0.verdict, $0.label(for: text)) } ?? (EndRule.usual(code, isHTTP: isHTTP), nil)
  }
}

/// A client's use of the key that it gets at its login: it comes back with that in place of its token, for instance,
/// until the gateway says that the key is over.
package struct SessionKeyHabit: Hashable, Sendable {
  /// The error that says that the key is over and the token may bring a new one.
  package var expiredError: Int
  /// Whether it takes the key that a refresh on the connection brings.
  package var adoptsNewKey = true
  /// Whether it shows its token beside the key when it comes back.
  package var showsTokenToo = false
  /// Whether a refresh that fails on the connection is tried over HTTP, and how long it waits for the answer first.
  package var fallsBackToHTTP = true
  package var answerTimeout = Duration.seconds(10)
  /// How often it asks over HTTP before it gives up.
  package var triesMax = 3

  package init(expiredError: Int) {
    self.expiredError = expiredError
  }
}
