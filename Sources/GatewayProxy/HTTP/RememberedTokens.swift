internal import GatewayCore
internal import GatewayFaults
internal import GatewayRuntime
internal import GatewayWires

/// The tokens that the application's endpoint gave lately, for faults that give one of them again. They are in memory only.
///
/// `@unchecked Sendable`: used only on its loop.
final class RememberedTokens: SeenTokens, @unchecked Sendable {
  private let loop: EventLoop
  private var tokens: [UserID: [TokenWatch.Sight]] = [:]
  private var bytes = 0

  /// The maximum number of tokens of a user. The oldest of them is the likeliest to have expired.
  private static let perUserMax = 4
  private static let bytesMax = 8 << 20

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Remembers a token; forgets all others if there are too many.
  func note(_ sight: TokenWatch.Sight, of user: UserID) {
    let size = Self.size(sight)
    if bytes + size > Self.bytesMax { (tokens, bytes) = ([:], 0) }
    guard size <= Self.bytesMax / 8, tokens[user]?.last != sight else { return }
    tokens[user, default: []].append(sight)
    bytes += size
    guard let all = tokens[user], all.count > Self.perUserMax else { return }
    bytes -= Self.size(all[1])
    tokens[user]?.remove(at: 1)
  }

  private static func size(_ sight: TokenWatch.Sight) -> Int { sight.token.utf8.count + 256 }

  func last(of user: UserID) -> String? { tokens[user]?.last?.token }

  func expired(of user: UserID) -> String? { tokens[user]?.first(where: hasExpired)?.token }

  var hasExpired: Bool { tokens.values.contains { $0.contains(where: hasExpired) } }

  private func hasExpired(_ sight: TokenWatch.Sight) -> Bool { sight.end.map { $0 <= loop.wallTime } ?? false }
}
