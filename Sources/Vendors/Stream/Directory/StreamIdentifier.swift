internal import GatewayCore

/// A generator of names in the form of a UUID, which clients expect of sessions and others.
enum StreamIdentifier {
  /// Returns 36 characters: the time in hexadecimal nanoseconds, the number, and the fixed digits of a random UUID
  /// between them.
  static func text(_ time: WallTime, _ number: Int) -> String {
    let time = padded(UInt64(bitPattern: time.nanoseconds), 16)
    let parts = [time.prefix(8), time.dropFirst(8).prefix(4), time.suffix(4)]
    return "\(parts[0])-\(parts[1])-4000-8\(parts[2].dropFirst())-\(parts[2].prefix(1))\(padded(UInt64(number), 11))"
  }

  private static func padded(_ number: UInt64, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
