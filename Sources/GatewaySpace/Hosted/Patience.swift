internal import GatewayCore

/// The time for which clients are waited for. It is spent in pieces, and a piece costs no more than its length however late its
/// end is noticed: a process that does not get the processor takes none of its clients' time.
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
