internal import GatewayCore
internal import GatewayFleet

/// A loop that may keep a fleet down once nothing disturbs it any more. The planner cuts one after the other to see which
/// does; the first cut after which the fleet recovers names it, so the more exact ones come first.
package enum LoopCut: String, Hashable, Sendable, CaseIterable {
  /// The provider works for callers that have gone, or go before it is done. Cut: it drops their requests.
  case abandonedRequests = "abandoned requests"
  /// Clients that are refused come back together. Cut: each waits as long again as all of them take, at random.
  case retryAfter = "Retry-After"
  /// Requests wait longer than is of use. Cut: the queue is emptied once.
  case queue
  /// Clients that lost their connection request tokens and reconnect. Cut: they stay away for a time.
  case reconnects
  /// Clients whose requests failed ask again. Cut: they do not for a time.
  case retries

  /// How the planner cuts it.
  package var cure: String {
    switch self {
    case .abandonedRequests: "if the provider drops requests that it cannot answer in time"
    case .retryAfter: "if clients spread Retry-After over the time that all of them need"
    case .queue: "if its queue is emptied once"
    case .reconnects: "if clients that lost their connection stay away for a while"
    case .retries: "if clients do not ask again for a while"
    }
  }
}

/// A cut of a loop in a world, at a time.
package struct WorldCut: Hashable, Sendable {
  package let loop: LoopCut
  package let at: Duration

  /// The minimum time for which clients stay away.
  static let hold = Duration.seconds(60)
}

extension WorldSettings {
  /// The requests a second that the provider has to spare beside those of the fleet at rest.
  private var spareRate: Double {
    guard let rate = provider.rate else { return Double(Self.clientsMax) }
    return max(rate - restingRate, rate / 100)
  }

  /// The time over which clients come back that stay away: twice what provider and gateway need for all of them.
  var spread: Duration {
    let slowest = min(spareRate, acceptsPerSecond ?? .infinity)
    return min(.saturating(seconds: 2 * Double(plan.clients) / max(slowest, 1e-3)), .seconds(7200))
  }

  /// The longest extra wait of a `Retry-After` that is spread: clients that wait longer miss the gateway's timeout.
  var retryAfterSpread: Duration { min(spread, plan.gateway.timeout.scaled(by: 0.5)) }

  /// Returns how long a queue of that length takes, beside the requests of the fleet at rest.
  func drain(ofQueue length: Int) -> Duration {
    min(.saturating(seconds: Double(length) / spareRate), .seconds(7200))
  }

  /// The end of the disturbance; tokens that end together disturb the fleet until the last of them has ended.
  private var disturbedUntil: Duration {
    let isHerd = disturbance == nil && plan.expiry == .common
    return max(triggerEnd, isHerd ? plan.expiresAfter + plan.life.scaled(by: plan.jitter) : .zero)
  }

  /// The time at which loops are cut: a minute after the disturbance, when it has been seen that the fleet stays down.
  private var cutAt: Duration { min(disturbedUntil + .seconds(60), Self.longest) }

  /// Returns the same world with a loop cut after its disturbance.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - within: How long it may take to recover from then on.
  ///   - isPatient: Whether the world also has the time in which clients could come back one by one.
  func cutting(_ loop: LoopCut, within: Duration, isPatient: Bool) -> WorldSettings {
    var other = self
    other.cut = WorldCut(loop: loop, at: cutAt)
    let more = isPatient ? spread : .zero
    other.duration = min(cutAt + hold(of: loop) + more + within + Self.calm, Self.longest)
    return other
  }

  /// Returns how long after the disturbance a fleet with that loop cut may recover, to have done so in time.
  func limit(ofCutting loop: LoopCut, within: Duration) -> Duration { cutAt - triggerEnd + hold(of: loop) + within }

  /// Returns how long the cut of a loop keeps clients away.
  private func hold(of loop: LoopCut) -> Duration {
    switch loop {
    case .abandonedRequests, .queue: .zero
    case .retryAfter: retryAfterSpread
    case .reconnects, .retries: WorldCut.hold + spread
    }
  }

  /// Returns the world as its file has it, long enough to see whether it recovers.
  package func asWritten(andAfter after: Duration) -> WorldSettings {
    var other = self
    other.runsToItsEnd = true
    other.duration = min(disturbedUntil + after + Self.calm, Self.longest)
    return other
  }

  /// Whether the file disturbs its fleet: tokens that end together, pauses of the provider, or phases.
  package var disturbsItself: Bool { plan.expiry == .common || !provider.pauses.isEmpty || scenario != nil }

  /// How long a world goes on after the time to recover: a minute of calm, and some seconds for requests under way.
  static let calm = Duration.seconds(90)
}
