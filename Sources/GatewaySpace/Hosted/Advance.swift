internal import GatewayCore
package import GatewayRuntime

/// An account of how the time of a hosted space was moved: how far, in how many steps, and the sessions without an answer.
package struct Advance: Sendable {
  /// The farthest move: ten years.
  package static let farthest = Duration.seconds(315_576_000)
  /// How far all moves of one space go together: a hundred years. In 2262 the nanoseconds of its clocks end, and with them
  /// everything that waits for a time.
  package static let farthestInAll = Duration.seconds(3_155_760_000)

  /// How many deadlines were met, each at its own time.
  package var steps = 0
  package var moved = Duration.zero
  /// The sessions whose clients had been asked for something and had not answered at the end.
  package var owing: [SessionSummary] = []
  /// How many were cut off on the way, because they had not answered in time or had never logged in.
  package var cutOff = 0
  /// The tasks that continue only when the time is moved again, if it stands still.
  package var sleeping: [EventLoop.Sleep] = []

  /// Whether all clients answered in time.
  package var isAnswered: Bool { owing.isEmpty && cutOff == 0 }

  /// The rule for the time of day when the time of sessions is moved. It can stay, e.g. if tokens are minted by the real
  /// time.
  package enum WallClock: String, Hashable, Sendable, CaseIterable {
    /// It is moved as far.
    case moves
    /// The time of day continues as before, for tokens minted by the real time of day.
    case stays
  }

  /// An event that ends the move early, e.g. a refresh request.
  package enum Stop: String, Hashable, Sendable, CaseIterable {
    /// A session is asked for another token.
    case refreshRequired = "refresh_required"
  }

  /// The reason why the time was not moved, e.g. that another move is under way.
  package enum Failure: Error, Hashable, Sendable {
    /// Somebody else moves the same time just now.
    case alreadyUnderWay
    /// The space is ending.
    case ended
    /// The space is a route, and keeps the time of the network.
    case timeIsReal
    /// It would be more than ``Advance/farthestInAll``.
    case tooFar
    /// This many deadlines were passed, and there were more.
    case endless(steps: Int)
  }
}
