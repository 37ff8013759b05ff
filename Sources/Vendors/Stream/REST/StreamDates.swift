package import GatewayCore
package import GatewayJSON

/// The way in which dates are written, as nanoseconds for instance: the two families of Stream's paths differ in
/// nothing else.
package enum StreamDates: Hashable, Sendable {
  /// RFC 3339 in UTC with nine digits of fraction: `/video/...` and Chat.
  case text
  /// Whole nanoseconds since 1970: `/api/v2/...`.
  case nanoseconds

  /// `time` as RFC 3339 has it.
  package static func text(_ time: WallTime) -> String {
    time.rfc3339(fractionDigits: 9)
  }

  /// The time that RFC 3339 text says, with any fraction and offset; nil if it is none. Python's libraries leave the offset
  /// of what is UTC away.
  package static func read(_ text: String) -> WallTime? {
    WallTime(rfc3339: text)
  }
}

extension JSONWriter {
  /// A date in the family's form.
  package mutating func member(_ name: StaticString, _ time: WallTime, _ dates: StreamDates) {
    switch dates {
    case .text: member(name, StreamDates.text(time))
    case .nanoseconds: member(name, time.nanoseconds)
    }
  }

  /// A date in the family's form; nothing at all if there is none.
  package mutating func member(_ name: StaticString, ifAny time: WallTime?, _ dates: StreamDates) {
    if let time { member(name, time, dates) }
  }
}
