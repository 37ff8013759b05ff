/// The name of one connection of a gateway process, e.g. `conn_0_17`: the number of its loop, and its number on that
/// loop.
///
/// The loop's number makes it possible to address a connection without a global dictionary.
package struct ConnectionID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The loop in the upper 12 bits, the serial number on that loop in the lower 52.
  package let rawValue: UInt64

  private static let serialBits: UInt64 = 52

  /// Creates the name of the `serial`-th connection of loop number `loop` (0...4095).
  package init(loop: Int, serial: UInt64) {
    rawValue = UInt64(loop) << Self.serialBits | serial & ((1 << Self.serialBits) - 1)
  }

  /// Parses the text of ``description``; nil if the text has another form.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "conn", let loop = Int(parts[1]), (0..<4096).contains(loop),
      let serial = UInt64(parts[2]), serial < 1 << Self.serialBits
    else { return nil }
    self.init(loop: loop, serial: serial)
  }

  /// The number of the loop that owns the connection.
  package var loop: Int { Int(rawValue >> Self.serialBits) }

  /// The connection's number on its loop.
  package var serial: UInt64 { rawValue & ((1 << Self.serialBits) - 1) }

  package var description: String { "conn_\(loop)_\(serial)" }
}

extension ConnectionID: Codable {
  package init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(UInt64.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
