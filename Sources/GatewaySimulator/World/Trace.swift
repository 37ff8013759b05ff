internal import GatewayCore

/// A record of what happened in a world, line by line with virtual times. Two runs of one seed have the same one, for
/// instance; if their traces are the same, they did the same.
///
/// Lines hold no token, and no count of jobs: how often the scheduler ran differs between debug and release.
package final class Trace {
  /// The lines, if the trace keeps them.
  package private(set) var lines: [String] = []
  package private(set) var count = 0
  private let keepsLines: Bool
  /// FNV-1a over all lines, 64 bits.
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

  /// Seconds with nine digits, written without floating point so that every build writes the same.
  private static func seconds(_ instant: Instant) -> String {
    let fraction = String(instant.nanoseconds % 1_000_000_000)
    return "\(instant.nanoseconds / 1_000_000_000).\(String(repeating: "0", count: 9 - fraction.count))\(fraction)"
  }
}
