internal import GatewayCore
internal import GatewayFleet

/// A table of a fleet's recovery for several queue lengths and client timeouts. Beyond queue / rate = timeout, the
/// fleet recovers late or never.
package struct StabilityGrid: Sendable {
  /// One fleet of the grid.
  package struct Cell: Sendable {
    /// The wait of the last request of a full queue, and the clients' timeout for an answer, in seconds.
    package let queueSeconds: Double
    package let timeOut: Double
    /// The time after which the fleet had recovered, in seconds; nil for never.
    package let recovered: Double?
    /// The share of clients that were lost; nil if no client logged in.
    package let lost: Double?

    /// Whether tokens arrive after the clients' timeout.
    package var isBeyondCliff: Bool { queueSeconds >= timeOut }
  }

  /// A row for each queue, with a cell for each timeout.
  package let rows: [[Cell]]

  package static let queues = [2.0, 4, 6, 8, 9.8, 10.2, 12, 15, 20, 30]
  package static let timeOuts = [3.0, 5, 8, 10, 15, 30]

  /// The number of worlds of the grid.
  package static var worlds: Int { queues.count * timeOuts.count }

  /// Runs the worlds of the grid. Nil if the provider has no rate, and therefore no cliff.
  ///
  /// - Parameters:
  ///   - planner: The planner whose settings each world uses.
  ///   - done: Called after each completed world, from any thread.
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
