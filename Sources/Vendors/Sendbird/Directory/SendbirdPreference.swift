import GatewayKit

/// A user's preferences: when pushes are sent, and whether an invitation joins a channel at once.
struct SendbirdPreference: Hashable, StoreValue {
  /// A span of the day in the user's time zone, e.g. from 22:00 to 7:00.
  struct Window: Hashable, Codable, Sendable {
    var startHour: Int64 = 0
    var startMinute: Int64 = 0
    var endHour: Int64 = 0
    var endMinute: Int64 = 0
  }

  /// A day of the week with the hours in which a user wants no pushes.
  struct Day: Hashable, Codable, Sendable {
    /// The English name in lower case.
    var name: String
    var windows: [Window]
  }

  /// The preferences for pushes: which ones and when.
  struct Push: Hashable, Codable, Sendable {
    var wantsQuiet = false
    var quiet = Window()
    var days: [Day] = []
    var timeZone = "UTC"
    /// `all`, `off` or `mention_only`.
    var trigger = "all"
    var sound = "default"
    var isSnoozed = false
    /// In milliseconds since 1970.
    var snoozeStart: Int64 = 0
    var snoozeEnd: Int64 = 0
    var includesReplies = true
  }

  var push = Push()
  /// The wording of pushes: `default` or `alternative`.
  var template = "default"
  /// Whether an invitation joins the channel at once.
  var joinsAtOnce = true
}
