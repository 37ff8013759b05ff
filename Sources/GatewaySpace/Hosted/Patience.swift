internal import GatewayCore

/// The time for which clients are waited for. It is spent in pieces, and a piece counts at most its length, however
/// late its end is noticed. So a process without processor time takes no time from its clients.
struct Patience {
  private static let pieceMax = Duration.milliseconds(50)

  private var rest: Duration

  init(_ duration: Duration) { rest = duration }

  var isLeft: Bool { rest > .zero }

  /// How long to wait next.
  var piece: Duration { min(rest, Self.pieceMax) }

  /// Counts a wait that was to last ``piece`` at most.
  mutating func spend(_ duration: Duration) { rest -= min(max(.zero, duration), piece) }
}
