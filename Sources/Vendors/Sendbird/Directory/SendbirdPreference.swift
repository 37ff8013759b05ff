import GatewayKit

/// The wishes of a user for themselves: when they are pushed to, and whether they join at once where they are invited;
/// quiet at night, for instance.
package struct SendbirdPreference: Hashable, StoreValue {
  /// A span of the day, in the user's time zone: from 22:00 to 7:00, for instance.
  package struct Window: Hashable, Codable, Sendable {
    package var startHour: Int64 = 0
    package var startMinute: Int64 = 0
    package var endHour: Int64 = 0
    package var endMinute: Int64 = 0

    package init() {}
  }

  /// A day of the week with the hours at which a user wants quiet: all of `sunday`, for instance.
  package struct Day: Hashable, Codable, Sendable {
    /// In lower case, in English.
    package var name: String
    package var windows: [Window]

    package init(name: String, windows: [Window]) {
      self.name = name
      self.windows = windows
    }
  }

  /// The wishes about pushes, what and when: mentions only, and none at night, for instance.
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
  /// How pushes are worded: `default` or `alternative`.
  package var template = "default"
  /// Whether who is invited has joined.
  package var joinsAtOnce = true

  package init() {}
}
