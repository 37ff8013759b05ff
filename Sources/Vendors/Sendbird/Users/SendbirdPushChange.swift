internal import GatewayJSON

/// The changes of a user's push times in a request's body. Missing properties stay as they are.
struct SendbirdPushChange: Sendable {
  private let wantsQuiet: Bool?
  private let quiet: Hours
  private let days: [SendbirdPreference.Day]?
  private let timeZone: String?
  private let trigger: String?
  private let sound: String?
  private let isSnoozed: Bool?
  private let snoozeStart: Int64?
  private let snoozeEnd: Int64?
  private let includesReplies: Bool?

  /// The hours and minutes in a body.
  private struct Hours: Sendable {
    let startHour: Int64?
    let startMinute: Int64?
    let endHour: Int64?
    let endMinute: Int64?

    init(_ body: SendbirdParameters) throws(SendbirdError) {
      startHour = try Self.number("start_hour", below: 24, body)
      startMinute = try Self.number("start_min", below: 60, body)
      endHour = try Self.number("end_hour", below: 24, body)
      endMinute = try Self.number("end_min", below: 60, body)
    }

    private static func number(
      _ name: String, below end: Int64, _ body: SendbirdParameters
    ) throws(SendbirdError) -> Int64? {
      guard let number = try body.integer(name) else { return nil }
      guard number < end else { throw .outOfRange(name) }
      return number
    }

    func apply(to window: inout SendbirdPreference.Window) {
      if let startHour { window.startHour = startHour }
      if let startMinute { window.startMinute = startMinute }
      if let endHour { window.endHour = endHour }
      if let endMinute { window.endMinute = endMinute }
    }
  }

  private static let dayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  private static let triggers = ["all", "off", "mention_only"]

  init(_ body: SendbirdParameters) throws(SendbirdError) {
    wantsQuiet = try body.bool("do_not_disturb")
    quiet = try Hours(body)
    days = try body.objects("dnd_schedules", count: Self.dayNames.count) { (day) throws(SendbirdError) in
      try Self.day(day)
    }
    timeZone = try body.string("timezone", max: SendbirdLimits.timeZone)
    trigger = try body.string("push_trigger_option", max: SendbirdLimits.customType)
    guard trigger.map({ Self.isOne($0, of: Self.triggers) }) ?? true else { throw .invalid("push_trigger_option") }
    sound = try body.string("push_sound", max: SendbirdLimits.pushSound)
    isSnoozed = try body.bool("snooze_enabled")
    _ = try body.time("snooze_start_ts")
    _ = try body.time("snooze_end_ts")
    snoozeStart = try body.integer("snooze_start_ts")
    snoozeEnd = try body.integer("snooze_end_ts")
    includesReplies = try body.bool("enable_push_for_replies")
  }

  private static func day(_ body: SendbirdParameters) throws(SendbirdError) -> SendbirdPreference.Day {
    let name = try body.requiredString("day_of_week", max: SendbirdLimits.customType)
    guard isOne(name, of: dayNames) else { throw .invalid("day_of_week") }
    let windows = try body.objects("time_windows", count: SendbirdLimits.quietWindows) {
      (window) throws(SendbirdError) in
      var times = SendbirdPreference.Window()
      try Hours(window).apply(to: &times)
      return times
    }
    return SendbirdPreference.Day(name: name, windows: windows ?? [])
  }

  private static func isOne(_ name: String, of names: [String]) -> Bool {
    names.contains { $0.utf8.elementsEqual(name.utf8) }
  }

  func apply(to push: inout SendbirdPreference.Push) {
    if let wantsQuiet { push.wantsQuiet = wantsQuiet }
    quiet.apply(to: &push.quiet)
    if let days { push.days = days }
    if let timeZone { push.timeZone = timeZone }
    if let trigger { push.trigger = trigger }
    if let sound { push.sound = sound }
    if let isSnoozed { push.isSnoozed = isSnoozed }
    if let snoozeStart { push.snoozeStart = snoozeStart }
    if let snoozeEnd { push.snoozeEnd = snoozeEnd }
    if let includesReplies { push.includesReplies = includesReplies }
  }
}
