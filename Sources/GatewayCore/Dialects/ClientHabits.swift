/// An SDK's behaviour that no server requests, e.g. a reconnect 0.25 to 2.5 s after a lost connection. The default is a
/// client that refreshes on its connection, sends no pings, and reconnects only if the fleet's plan says so.
package struct ClientHabits: Hashable, Sendable {
  /// The client's check that its connection is alive; nil for none.
  package var keepAlive: KeepAliveHabit?
  /// The client's way to reconnect; nil if it does not reconnect by itself.
  package var comeback: ComebackHabit?
  /// Whether a new token ever reaches the gateway: false for an SDK without a token provider.
  package var renewsTokens = true
  /// The client's use of session keys; nil if there are none.
  package var sessionKey: SessionKeyHabit?
  /// The time at which the client renews its token.
  package var refresh = RefreshHabit()
  /// The time that an accepted login must last to count. A gateway that accepts every client and closes a moment later
  /// has refused it. Without this time, clients with an old token would count thousands of logins.
  package var settle = Duration.zero
  /// Whether an open connection is a login.
  package var isLoggedInAtOpen = false
  /// Whether the client requests its token only when a message of the login needs one. E.g. the token of a Pusher
  /// client is a signature of the name that the gateway has just given the connection.
  package var asksAtNeed = false

  package init() {}

  /// Whether the client needs its token again after the login.
  package var keepsToken: Bool { comeback != nil || sessionKey != nil }
}

/// The pings by which a client checks that its connection is alive.
package struct KeepAliveHabit: Hashable, Sendable {
  /// The form of a client's ping.
  package enum Means: Hashable, Sendable {
    /// A ``ClientMessage/ping`` in the dialect's encoding.
    case message
    /// A ping of RFC 6455.
    case protocolPing
  }

  /// The action of a client that receives no sign of life within the limit.
  package enum Despair: Hashable, Sendable {
    /// The client closes with 1000 and reconnects.
    case comesBack
    /// The client sends no more pings, and keeps the connection.
    case stopsPinging
    case nothing
  }

  package var means = Means.message
  package var interval: Duration
  /// Whether the first ping follows the login immediately.
  package var startsAtOnce = false
  /// Whether ``interval`` counts from the last sign of life instead of the last ping.
  package var countsFromLife = false
  /// Whether every message postpones the next ping by a whole ``interval``.
  package var everyMessagePostpones = false
  /// Whether pings and pongs of RFC 6455 count as messages.
  package var controlFramesCount = false
  /// Whether every message is a sign of life for ``limit``, instead of only the answers to pings.
  package var anyMessageCounts = false
  /// The longest time without a sign of life.
  package var limit: Duration
  /// Whether ``limit`` counts from a ping instead of the last sign of life.
  package var limitCountsFromPing = false
  package var despair = Despair.comesBack

  package init(every interval: Duration, limit: Duration) {
    self.interval = interval
    self.limit = limit
  }
}

/// The way in which a client reconnects after its connection is lost or its token is refused.
package struct ComebackHabit: Hashable, Sendable {
  /// A client's reaction to an error about its token on an open connection.
  package enum EventHeed: Hashable, Sendable {
    /// The client ignores it: only the close counts.
    case none
    /// The client requests a token after the gateway has closed.
    case whenClosed
    /// The client requests a token, closes and reconnects.
    case atOnce
  }

  package var schedule: ReturnSchedule
  /// The number of failures that a lost connection counts as in the schedule.
  package var failuresAtLoss = 1
  package var heed = EventHeed.none
  /// The errors after which the client requests a token.
  package var renewingErrors: Set<Int>
  /// Whether an error of any other number prevents a reconnect.
  package var otherErrorsAreFinal = true
  /// Whether such an error is final only if the gateway then closes with 1000. After any other close the client reconnects.
  package var closeDecidesAboutErrors = false
  /// The errors that end the client, regardless of other rules.
  package var finalErrors: Set<Int> = []
  /// Whether the client requests the token before it waits.
  package var asksBeforeWaiting = false
  /// Whether a client that has been logged in ends if the provider gives it no token.
  package var endsWithoutToken = false
  /// Whether the client waits between the arrival or refusal of the token and the next attempt.
  package var waitsWithNewToken = true
  /// Whether the client accepts a close with 1000 as final. It then reconnects only if it checks when its
  /// ``KeepAliveHabit/limit`` is over and notices the silence.
  package var heedsNormalClose = false
  /// The share of clients that notice the silence after such a close. The others never check again.
  package var normalCloseNoticedShare = 1.0
  /// The rules for closes and refusals, of which the first match applies; nil for an SDK that treats each as a lost
  /// connection.
  package var ends: [EndRule]?
  /// The token that the client presents when it reconnects.
  package var tokenOnReturn = TokenOnReturn.kept
  /// The number of refusals after which the client gives up; nil for the fleet's own limit.
  package var refusalsMax: Int?

  /// A choice of the token for a reconnect.
  package enum TokenOnReturn: String, Hashable, Sendable, CaseIterable {
    /// A new token each time.
    case fresh
    /// The present token, unless it has expired.
    case unlessOver = "unless_over"
    /// The present token, until it is refused.
    case kept
  }

  package init(_ schedule: ReturnSchedule, renewingErrors: Set<Int>) {
    self.schedule = schedule
    self.renewingErrors = renewingErrors
  }

  /// Returns the meaning and the report's label of an end with that code and text; nil if the client has no rules.
  package func verdict(
    of code: Int, isHTTP: Bool, _ text: String? = nil, in phase: ClientPhase
  ) -> (verdict: ReturnVerdict, label: String?)? {
    guard let ends else { return nil }
    let rule = ends.first { $0.holds(code, isHTTP: isHTTP, text, in: phase) }
    return rule.map { ($0.verdict, $0.label(for: text)) } ?? (EndRule.usual(code, isHTTP: isHTTP), nil)
  }
}

/// A client's use of the session key from its login. The key replaces the token in a reconnect until it has expired.
package struct SessionKeyHabit: Hashable, Sendable {
  /// The error that says that the key has expired and the token may bring a new one.
  package var expiredError: Int
  /// Whether the client adopts the key that a refresh on the connection brings.
  package var adoptsNewKey = true
  /// Whether the client presents its token beside the key when it reconnects.
  package var showsTokenToo = false
  /// Whether a refresh that fails on the connection is retried over HTTP, and the time that the client first waits for
  /// the answer.
  package var fallsBackToHTTP = true
  package var answerTimeout = Duration.seconds(10)
  /// The number of attempts over HTTP before the client gives up.
  package var triesMax = 3

  package init(expiredError: Int) {
    self.expiredError = expiredError
  }
}
