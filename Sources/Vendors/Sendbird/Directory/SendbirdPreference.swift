import GatewayKit

/// A user's preferences: when pushes are sent, and whether an invitation joins a channel at once.
package struct SendbirdPreference: Hashable, StoreValue {
  /// A span of the day in the user's time zone, e.g. from 22:00 to 7:00.
  package struct Window: Hashable, Codable, Sendable {
    package var startHour: Int64 = 0
    package var startMinute: Int64 = 0
    package var endHour: Int64 = 0
    package var endMinute: Int64 = 0

    package init() {}
  }

  /// A day of the week with the hours in which a user wants no pushes.
  package struct Day: Hashable, Codable, Sendable {
    /// The English name in lower case.
    package var name: String
    package var windows: [Window]

    package init(name: String, windows: [Window]) {
      self.name = name
      self.windows = windows
    }
  }

  /// The preferences for pushes: which ones and when.
  package struct Push: Hashable, Codable, Sendable {
    package var wantsQuiet = false
    package var quiet = Window()
    package var days: [Day] = []
    package var timeZone = "UTC"
    /// `all`, `off` or `mention_only`.
    package var trigger = "all"
    package var sound = "default"
    package var isSnoozed = false
    /// In milliseconds since 1970.
    package var snoozeStart: Int64 = 0
    package var snoozeEnd: Int64 = 0
    package var includesReplies = true

    package init() {}
  }

  package var push = Push()
  /// The wording of pushes: `default` or `alternative`.
  package var template = "default"
  /// Whether an invitation joins the channel at once.
  package var joinsAtOnce = true

  package init() {}
}
