internal import GatewayCore

/// A record of the events in a world, line by line with virtual times. Two runs with the same seed have the same trace,
/// and runs with the same trace did the same.
///
/// Lines contain no token. They also contain no count of jobs: the number of scheduler runs differs between debug and
/// release.
package final class Trace {
  /// The lines, if the trace keeps them.
  package private(set) var lines: [String] = []
  package private(set) var count = 0
  private let keepsLines: Bool
  /// The 64-bit FNV-1a hash of all lines.
  package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  package init(keepsLines: Bool) {
    self.keepsLines = keepsLines
  }

  func add(_ text: String, at instant: Instant) {
    let line = "\(Self.seconds(instant)) \(text)"
    count += 1
    for byte in line.utf8 { mix(byte) }
    mix(UInt8(ascii: "\n"))
    if keepsLines { lines.append(line) }
  }

  private func mix(_ byte: UInt8) {
    hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  /// Returns seconds with nine digits, written without floating point so that every build writes the same text.
  private static func seconds(_ instant: Instant) -> String {
    let fraction = String(instant.nanoseconds % 1_000_000_000)
    return "\(instant.nanoseconds / 1_000_000_000).\(String(repeating: "0", count: 9 - fraction.count))\(fraction)"
  }
}
