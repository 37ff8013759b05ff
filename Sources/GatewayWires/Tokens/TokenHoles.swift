internal import GatewayCore

/// The values for the holes of a token request: the user, the password, the refresh token.
struct TokenHoles: HoleSource {
  let wish: TokenWish
  let memory: TokenMemory
  let users: TokenUsers
  let secrets: [String: String]
  /// The number of the wire's names, which precede the endpoint's own.
  let wireTaken: Int

  /// The requested expiry in whole seconds.
  private var end: WallTime {
    switch wish.life {
    case .lasting(let duration): wish.now + duration
    case .until(let time): time
    }
  }

  func value(of hole: Hole) -> String? {
    switch hole {
    case .user: wish.user.rawValue
    // A request that must be refused contains no user's password.
    case .column(let column): wish.isHopeless ? wish.user.rawValue : users.value(column, of: wish.number)
    case .token: memory.token?.token
    case .number: "\(wish.number)"
    case .random: random
    case .nowSeconds: "\(wish.now.nanoseconds / Self.second)"
    case .nowMilliseconds: "\(wish.now.nanoseconds / Self.millisecond)"
    // At least a second, since no endpoint issues an expired token.
    case .lifeSeconds: "\(max(1, ((end - wish.now).nanoseconds + Self.second / 2) / Self.second))"
    case .endSeconds: "\(end.nanoseconds / Self.second)"
    case .endMilliseconds: "\(end.nanoseconds / Self.millisecond)"
    case .taken(let slot):
      slot < wireTaken
        ? (wish.taken.indices.contains(slot) ? wish.taken[slot] : nil)
        : (memory.taken.indices.contains(slot - wireTaken) ? memory.taken[slot - wireTaken] : nil)
    case .secret(let name): secrets[name]
    case .id, .sent, .heard, .connection, .waitMilliseconds: nil
    }
  }

  private static let second: Int64 = 1_000_000_000
  private static let millisecond: Int64 = 1_000_000

  /// Sixteen random hexadecimal digits, different for each client and request.
  private var random: String {
    var generator = SeededGenerator(
      seed: UInt64(truncatingIfNeeded: wish.number) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(memory.requests) << 32)
    let digits = String(generator.next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
