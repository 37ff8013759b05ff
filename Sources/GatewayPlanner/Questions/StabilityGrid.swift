internal import GatewayCore
internal import GatewayFleet

/// A table of whether a fleet recovers, for queues of several lengths and clients of several patiences: with a queue of
/// 20 s and clients who wait for 10 s it does not, for instance, or late, as everywhere beyond queue / rate = time-out.
package struct StabilityGrid: Sendable {
  /// One fleet of the grid: with a queue of 20 s and a patience of 10 s it had not recovered, for instance.
  package struct Cell: Sendable {
    /// How long the last of a full queue waits, and how long clients wait for an answer, in seconds.
    package let queueSeconds: Double
    package let timeOut: Double
    /// When the fleet had recovered, in seconds; nil for never.
    package let recovered: Double?
    /// The share that was lost; nil where nobody was let in.
    package let lost: Double?

    /// Whether tokens come later than clients wait.
    package var isBeyondCliff: Bool { queueSeconds >= timeOut }
  }

  /// A row for each queue, a cell for each time-out.
  package let rows: [[Cell]]

  package static let queues = [2.0, 4, 6, 8, 9.8, 10.2, 12, 15, 20, 30]
  package static let timeOuts = [3.0, 5, 8, 10, 15, 30]

  /// How many worlds it is made of.
  package static var worlds: Int { queues.count * timeOuts.count }

  /// Nil where the provider has no rate, and so no cliff.
  ///
  /// - Parameters:
  ///   - planner: Whose scenario each world is made of.
  ///   - done: Told of each world that is through, from any thread.
  package init?(_ planner: Planner, done: @escaping @Sendable () -> Void = {}) async throws {
    guard let rate = planner.settings.provider.rate else { return nil }
    let places = Self.queues.flatMap { queue in Self.timeOuts.map { (queue, $0) } }
    let all = places.map { queue, timeOut in
      var settings = planner.settings
      settings.provider.queue = Int((queue * rate).rounded())
      settings.plan.fetchTimeout = .nanoseconds(Int64(timeOut * 1e9))
      return settings
    }
    let results = try await planner.compare(all, done: done)
    let cells = zip(places, results).map { place, result in
      Cell(
        queueSeconds: place.0, timeOut: place.1, recovered: result.recoveredAfter, lost: result.lostShare)
    }
    let width = Self.timeOuts.count
    rows = stride(from: 0, to: cells.count, by: width).map { Array(cells[$0..<$0 + width]) }
  }
}
