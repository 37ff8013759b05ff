internal import GatewayCore

/// The values for the holes of a client's messages: its name, its token, and values from the gateway's messages.
struct ClientHoles: HoleSource {
  let client: ClientIdentity
  let memory: ClientMemory?
  let message: UInt32
  /// The token's expiry, if it is known.
  let end: WallTime?
  let secrets: [String: String]

  func value(of hole: Hole) -> String? {
    switch hole {
    case .user: client.user.description
    case .token: client.token?.token
    case .id: "\(message)"
    case .number: "\(client.number)"
    case .random: random
    case .nowSeconds: "\(client.now.nanoseconds / 1_000_000_000)"
    case .nowMilliseconds: "\(client.now.nanoseconds / 1_000_000)"
    case .lifeSeconds: end.map { "\(max(0, ($0 - client.now).nanoseconds / 1_000_000_000))" }
    case .endSeconds: end.map { "\($0.nanoseconds / 1_000_000_000)" }
    case .endMilliseconds: end.map { "\($0.nanoseconds / 1_000_000)" }
    case .taken(let slot): memory.flatMap { $0.taken.indices.contains(slot) ? $0.taken[slot] : nil }
    case .sent(let slot):
      memory.flatMap { $0.sent.indices.contains(slot) && $0.sent[slot] > 0 ? "\($0.sent[slot])" : nil }
    case .secret(let name): secrets[name]
    case .column, .heard, .connection, .waitMilliseconds: nil
    }
  }

  /// Sixteen random hexadecimal digits, different for each client and message.
  private var random: String {
    var generator = SeededGenerator(seed: client.number &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(message) << 32)
    let digits = String(generator.next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
