internal import GatewayCore

/// An SDK of Sendbird whose clients can be simulated, with its habits as observed on the wire with the unmodified
/// clients.
enum SendbirdSDK: String, Hashable, Sendable, CaseIterable {
  /// JavaScript 4: credentials in the subprotocol.
  case javascript
  /// JavaScript 3: credentials in the query; never accepts a new key on its socket.
  case javascript3
  /// Credentials in header fields, as on the mobile platforms.
  case unity

  var habits: ClientHabits {
    var habits = ClientHabits()
    habits.keepAlive = keepAlive
    // The answer to the login replaces this.
    let schedule = ReturnSchedule.growing(
      first: .seconds(self == .unity ? 3 : 2), factor: 2, cap: .seconds(self == .unity ? 24 : 20),
      tries: self == .unity ? 5 : nil)
    var comeback = ComebackHabit(schedule, renewingErrors: [SendbirdError.accessTokenInvalid.code])
    comeback.failuresAtLoss = 0
    comeback.otherErrorsAreFinal = false
    comeback.finalErrors = [
      SendbirdError.userDeactivated.code, SendbirdError.userNotFound.code, SendbirdError.sessionRevoked.code,
    ]
    // It stays "connecting" for ever.
    if self == .javascript3 { comeback.finalErrors.insert(SendbirdError.sessionExpired.code) }
    comeback.asksBeforeWaiting = true
    comeback.waitsWithNewToken = false
    habits.comeback = comeback
    var key = SessionKeyHabit(expiredError: SendbirdError.sessionExpired.code)
    key.adoptsNewKey = self != .javascript3
    key.fallsBackToHTTP = self != .unity
    key.showsTokenToo = self == .unity
    habits.sessionKey = key
    return habits
  }

  private var keepAlive: KeepAliveHabit {
    var habit = KeepAliveHabit(every: .seconds(15), limit: .seconds(5))
    habit.startsAtOnce = true
    habit.limitCountsFromPing = true
    switch self {
    case .javascript: habit.despair = .stopsPinging
    case .javascript3: habit.despair = .comesBack
    case .unity:
      habit.despair = .nothing
      habit.everyMessagePostpones = true
    }
    return habit
  }

  /// The SDK's name in `p`, `sv` and `SB-User-Agent`.
  var platform: String { self == .unity ? "Unity" : "JS" }

  var version: String {
    switch self {
    case .javascript: "4.22.7"
    case .javascript3: "3.1.33"
    case .unity: "4.2.0"
    }
  }
}
