internal import GatewayCore

/// The values for the holes in a gateway's messages to one client.
struct ServedHoles: HoleSource {
  let context: DialectContext
  let user: String?
  /// The numbers of the client's messages, by slot.
  let sent: [String?]
  /// The values taken from the client's messages, by the slots of their names.
  let heard: [String?]
  let values: [Int: String]
  let secrets: [String: String]
  /// The number of the gateway's own message.
  let number: UInt32
  /// The remaining life of the token; nil for no end.
  let life: Duration?
  let wait: Duration
  /// The token that is pushed; nil in every other message, since clients are sent none.
  let token: String?

  func value(of hole: Hole) -> String? {
    switch hole {
    case .user: user
    case .id: "\(number)"
    case .number: "\(context.connection.serial)"
    case .random: random
    case .nowSeconds: "\(context.now.nanoseconds / Self.second)"
    case .nowMilliseconds: "\(context.now.nanoseconds / Self.millisecond)"
    // 0 means no end.
    case .lifeSeconds: "\((life ?? .zero).nanoseconds / Self.second)"
    case .endSeconds: "\(life.map { (context.now + $0).nanoseconds / Self.second } ?? 0)"
    case .endMilliseconds: "\(life.map { (context.now + $0).nanoseconds / Self.millisecond } ?? 0)"
    case .taken(let slot): values[slot]
    case .sent(let slot): sent.indices.contains(slot) ? sent[slot] : nil
    case .heard(let slot): heard.indices.contains(slot) ? heard[slot] : nil
    case .secret(let name): secrets[name]
    case .connection: context.connection.description
    case .waitMilliseconds: "\(wait.nanoseconds / Self.millisecond)"
    case .token: token
    case .column: nil
    }
  }

  private static let second: Int64 = 1_000_000_000
  private static let millisecond: Int64 = 1_000_000

  private var random: String {
    var generator = SeededGenerator(
      seed: UInt64(truncatingIfNeeded: context.now.nanoseconds) ^ UInt64(context.connection.serial) << 40
        ^ UInt64(number))
    let digits = String(generator.next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
