package import GatewayCore

/// An order for a hosted space: its name, its time, its settings.
package struct SpaceOrder: Sendable {
  /// A name that is free, where there is none.
  package var name: String?
  /// The address of the gateway that a route leads to, as it was written; nil for none.
  package var upstream: String?
  /// 0 for a free one.
  package var port = 0
  package var isFrozen = false
  /// The time of day there at first; nil for the host's.
  package var wall: WallTime?
  /// The seed of its chance; nil for that of its host's settings.
  package var seed: UInt64?
  /// How long it exists unused; nil for the usual time.
  package var idleTime: Duration?
  /// How long its clients may take to answer the close frame when it ends; nil for the usual time.
  package var closingTime: Duration?
  package var settings: [Setting] = []

  package init() {}

  /// One setting by its name, with its values: `refresh-timeout` as `2s`.
  package struct Setting: Hashable, Sendable {
    package let name: String
    package let values: [Value]
    /// Whether the values are in an array.
    package let isArray: Bool

    package init(_ name: String, values: [Value], isArray: Bool = false) {
      self.name = name
      self.values = values
      self.isArray = isArray
    }

    package init(_ name: String, _ values: [String], isArray: Bool = false) {
      self.init(name, values: values.map { .text($0) }, isArray: isArray)
    }
  }

  /// A value of a setting. `name` is the part before = if the option takes NAME=FILE.
  package enum Value: Hashable, Sendable {
    case text(String)
    /// The content of a file that the option takes.
    case content(String, name: String?)
    /// The name of a file below the folder that the operator has set aside for orders.
    case file(String, name: String?)
  }

  private static let nameLengthMax = 63

  /// Returns whether a space may have this name, which must be valid in a path and in a host name.
  package static func isName(_ text: String) -> Bool {
    (1...nameLengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}
