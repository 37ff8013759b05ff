internal import GatewayCore
internal import GatewayFleet

/// The loads at which a fleet is calm as long as nothing disturbs it, and stays down once its provider's queue is full.
package struct HysteresisSearch: Sendable {
  /// A load, and the outcome for the fleet from both sides.
  package struct Row: Sendable {
    /// The first requests of the fleet at rest, as a share of the capacity, and a second.
    package let load: Double
    package let renewals: Double
    package let calm: TriggerSearch.Probe
    package let behind: TriggerSearch.Probe
  }

  package struct Answer: Sendable {
    package let rows: [Row]
    package let worlds: Int

    /// The loads at which the fleet is calm by itself and stays down behind a full queue; nil if there is none.
    package var band: ClosedRange<Double>? {
      let loads = rows.filter { $0.calm.allRecover && !$0.behind.allRecover }.map(\.load)
      guard let least = loads.min(), let most = loads.max() else { return nil }
      return least...most
    }
  }

  /// The loads that are tried, in shares of the capacity.
  package static let loads = stride(from: 30, through: 95, by: 5).map { Double($0) / 100 }
  private static let seeds: Range<UInt64> = 0..<3

  package static let worlds = 2 * loads.count * seeds.count

  private let triggers: [(load: Double, search: TriggerSearch)]

  /// Creates a search; nil if the provider has no rate.
  ///
  /// - Parameters:
  ///   - settings: The fleet. Its number of clients is changed for each load.
  ///   - within: How long it may take to recover, after the time that the provider needs for its full queue.
  ///   - scale: The maximum number of clients of a world.
  ///   - threads: The number of worlds that run at once.
  ///   - done: Called after each world, from any thread.
  package init?(
    _ settings: WorldSettings, within: Duration, scale: Int, threads: Int, done: @escaping @Sendable () -> Void = {}
  ) {
    guard let rate = settings.provider.rate else { return nil }
    triggers = Self.loads.map { load in
      let clients = (load * rate * settings.plan.life.inSeconds).rounded()
      let count = Int(min(Double(WorldSettings.clientsMax), max(1, clients)))
      let loaded = settings.scaled(toClients: count, withProvider: false)
      let fleet = count > scale ? loaded.scaled(toClients: scale, withProvider: true) : loaded
      let drained = fleet.drain(ofQueue: fleet.provider.queue)
      return (
        load, TriggerSearch(fleet, within: within + drained, scale: scale, threads: threads, done: done)
      )
    }
  }

  package func run() async throws -> Answer {
    var rows: [Row] = []
    for (load, search) in triggers {
      let calm = try await search.probe(nil, Self.seeds)
      let full = Disturbance(.backlog, at: search.settings.pushAt, size: 1)
      rows.append(
        Row(
          load: load, renewals: search.settings.restingRate, calm: calm,
          behind: try await search.probe(full, Self.seeds)))
    }
    return Answer(rows: rows, worlds: Self.worlds)
  }
}
