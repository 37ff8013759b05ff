internal import GatewayCore
internal import GatewayJSON

/// The format of dates, which is the only difference between the two families of Stream's paths.
enum StreamDates: Hashable, Sendable {
  /// RFC 3339 in UTC with nine digits of fraction: `/video/...` and Chat.
  case text
  /// Whole nanoseconds since 1970: `/api/v2/...`.
  case nanoseconds

  /// Formats `time` as RFC 3339.
  static func text(_ time: WallTime) -> String {
    time.rfc3339(fractionDigits: 9)
  }

  /// Parses RFC 3339 text with any fraction and offset; returns nil for other text. Python's libraries omit the offset
  /// of UTC times.
  static func read(_ text: String) -> WallTime? {
    WallTime(rfc3339: text)
  }
}

extension JSONWriter {
  /// Writes a date in the family's format.
  mutating func member(_ name: StaticString, _ time: WallTime, _ dates: StreamDates) {
    switch dates {
    case .text: member(name, StreamDates.text(time))
    case .nanoseconds: member(name, time.nanoseconds)
    }
  }

  /// Writes a date in the family's format, or nothing if it is nil.
  mutating func member(_ name: StaticString, ifAny time: WallTime?, _ dates: StreamDates) {
    if let time { member(name, time, dates) }
  }
}
