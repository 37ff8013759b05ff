internal import GatewayCore

/// An SDK of Stream whose clients can be simulated, with its habits. Times, formulas and reactions are from the SDKs'
/// sources; for JavaScript and Python they were also measured with the unmodified clients.
enum StreamVideoSDK: String, Hashable, Sendable, CaseIterable {
  /// Video 1.58. Reconnects with its old token first, and requests a new one when that is refused with 40.
  case javascript
  /// Video 1.51. Requests a new token and reconnects at once.
  case swift
  case android
  case flutter
  /// `getstream` up to 6.1.1, which never requests a new token.
  case python

  var habits: ClientHabits {
    var habits = ClientHabits()
    habits.keepAlive = keepAlive
    habits.comeback = comeback
    habits.renewsTokens = self != .python
    return habits
  }

  private var keepAlive: KeepAliveHabit {
    switch self {
    case .javascript:
      var habit = KeepAliveHabit(every: .seconds(25), limit: .seconds(35))
      habit.countsFromLife = true
      habit.anyMessageCounts = true
      return habit
    case .swift:
      var habit = KeepAliveHabit(every: .seconds(5), limit: .seconds(3))
      habit.means = .protocolPing
      habit.limitCountsFromPing = true
      return habit
    case .android:
      var habit = KeepAliveHabit(every: .seconds(11), limit: .seconds(30))
      habit.countsFromLife = true
      return habit
    case .flutter:
      return KeepAliveHabit(every: .seconds(7), limit: .seconds(35))
    case .python:
      var habit = KeepAliveHabit(every: .seconds(15), limit: .seconds(30))
      habit.anyMessageCounts = true
      return habit
    }
  }

  private var comeback: ComebackHabit {
    switch self {
    case .javascript:
      var habit = ComebackHabit(Self.window(cap: .seconds(5)), renewingErrors: [40])
      habit.heedsNormalClose = true
      // The error rejects the login's promise, and a close with any code but 1000 begins a reconnect all the same.
      habit.closeDecidesAboutErrors = true
      // One timer of 35,000 ms, set by each message and not rearmed, checks whether more than 35,000 whole milliseconds
      // have passed since that message. After a close with 1000, 96 of 300 clients noticed it so. On a half-open socket
      // all do (9 of 9): the SDK notes the time of a message before it passes the message to the application, and sets
      // the timer afterwards.
      habit.normalCloseNoticedShare = 0.32
      // It marks itself as connecting before it requests a token, and stays so if the provider throws.
      habit.endsWithoutToken = true
      return habit
    case .swift:
      var habit = ComebackHabit(
        Self.window(cap: .seconds(25), firstAtOnce: true), renewingErrors: [2, 40, 41, 42, 43])
      habit.heed = .whenClosed
      habit.asksBeforeWaiting = true
      habit.waitsWithNewToken = false
      // A refresh that throws is final: no token error makes the socket reconnect by itself.
      habit.endsWithoutToken = true
      return habit
    case .android:
      var habit = ComebackHabit(Self.window(cap: .seconds(25)), renewingErrors: [5, 40, 41, 42, 43])
      habit.failuresAtLoss = 0
      habit.heed = .atOnce
      habit.otherErrorsAreFinal = false
      habit.finalErrors = [2]
      habit.asksBeforeWaiting = true
      habit.heedsNormalClose = true
      return habit
    case .flutter:
      var habit = ComebackHabit(
        .linear(step: .milliseconds(200), jitter: .milliseconds(500), cap: .seconds(3)),
        renewingErrors: [40, 41, 42, 43])
      habit.heed = .whenClosed
      habit.otherErrorsAreFinal = false
      // The authentication fails if a token cannot be loaded.
      habit.endsWithoutToken = true
      return habit
    case .python:
      return ComebackHabit(.list([1, 2, 4, 8, 16].map { .seconds($0) }), renewingErrors: [2, 5, 40, 41, 42, 43])
    }
  }

  /// Returns a delay between min(max(0.25, (n - 1)·2), cap) and min(0.5 + n·2, cap) seconds.
  private static func window(cap: Duration, firstAtOnce: Bool = false) -> ReturnSchedule {
    .window(
      low: .milliseconds(250), high: .milliseconds(500), step: .seconds(2), cap: cap, firstAtOnce: firstAtOnce)
  }

  /// The SDK's name in `X-Stream-Client`.
  var clientName: String {
    switch self {
    case .javascript: "stream-video-plain_javascript-v1.58.0"
    case .swift: "stream-video-swift-client-v1.51.0"
    case .android: "stream-video-android-v1.20.0"
    case .flutter: "stream-video-flutter-v1.0.0"
    case .python: "stream-python-client-6.1.1"
    }
  }
}
