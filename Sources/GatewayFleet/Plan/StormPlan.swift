internal import GatewayCore

/// A plan of everything that decides what a storm does: 1,000 clients, 500 a second, for instance. The same plan and
/// seed make the same fleet.
package struct StormPlan: Hashable, Sendable, Codable {
  /// The wire format, and which SDK of its vendor the clients are; nil where there is one kind.
  package var dialect = "plain"
  package var sdk: String?
  /// How many clients connect, 1 to 1,000,000.
  package var clients = 1000
  /// Connections begun per second once the ramp is over.
  package var rate = 500.0
  /// How long the rate takes to rise, in a straight line, from 0.
  @InSeconds package var ramp: Duration = .zero
  /// How long everybody is connected and idle before the tokens expire.
  @InSeconds package var hold: Duration = .seconds(5)
  /// Whether the first tokens expire together.
  package var expiry = Expiry.common
  /// When the first tokens expire, counted from the start; nil for the end of the ramp plus ``hold``.
  package var expireAfter: Double?
  /// The life of every token that answers a refresh request, and of the first ones too if they expire each by itself.
  @InSeconds package var life: Duration = .seconds(3600)
  /// The share of ``life``, 0...1, over which expiries are scattered: the first tokens expire up to that much later
  /// than the common instant, later ones live up to that much shorter.
  package var jitter = 0.0
  /// How many times each client is to be refreshed before the storm is over.
  package var waves = 1
  package var behaviours = BehaviourMix.allWell
  /// How long a slow client waits before it asks the provider.
  @InSeconds package var slowDelay: Duration = .seconds(3)
  /// Whether clients that were cut off or not let in come back, with full jitter.
  package var reconnects = false
  /// How long clients may take that come back by themselves, as their SDK has it; 0 for those that do not.
  @InSeconds package var comeback: Duration = .zero
  /// The wait before a repeated attempt, be it at the provider or at the gateway.
  package var backoff = Backoff(base: .milliseconds(500), cap: .seconds(10))
  /// How often a client asks for the token of its login before it gives up.
  package var loginTries = 10
  package var seed: UInt64 = 1
  /// How many addresses, from 127.0.0.1 on, the clients connect from; 0 leaves it to the system.
  package var sources = 0
  package var processes = 1
  /// Loops (threads) of each process.
  package var loops = 1
  /// At most this many requests to the provider at once, in each process; the wait for a place counts as latency.
  package var fetches = 1000
  /// At most so many requests to the provider begin in a second, in the whole storm; nil for as many as are wanted.
  package var fetchRate: Double?
  @InSeconds package var fetchTimeout: Duration = .seconds(10)
  /// From the start of a connection until the gateway has accepted the token.
  @InSeconds package var connectTimeout: Duration = .seconds(30)
  /// What the gateway is set to, as far as known.
  package var gateway = GatewayTimes()
  /// The storm ends after this many seconds at the latest; nil to end when the last time-out must have passed.
  package var bound: Double?

  package init() {}

  /// The rule for when the first tokens end: all at one instant, as after a mass login, for instance.
  package enum Expiry: String, Hashable, Sendable, Codable {
    /// All at the same instant, as after a mass login.
    case common
    /// Each when its life is over.
    case own
  }

  /// The gateway's settings that decide when it asks and when it cuts off: 60 s for a new token, for instance.
  package struct GatewayTimes: Hashable, Sendable, Codable {
    /// How long before expiry it asks.
    @InSeconds package var lead: Duration = .zero
    /// The window ahead of that over which it spreads the requests.
    @InSeconds package var spread: Duration = .zero
    /// How long it waits for the new token.
    @InSeconds package var timeout: Duration = .seconds(60)
    /// Where the storm has each of them from.
    package var leadSource = Source.assumed
    package var spreadSource = Source.assumed
    package var timeoutSource = Source.assumed

    package init() {}

    /// The source of a setting that the storm goes by: the gateway's own `GET /settings`, for instance.
    package enum Source: String, Hashable, Sendable, Codable {
      /// Nobody said anything: the default.
      case assumed
      /// Whoever started the storm said so.
      case told
      /// The gateway's own settings say so.
      case gateway
    }
  }
}

/// A plan that cannot be carried out, what is wrong and what would be right: two million clients, for instance.
package struct StormPlanError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
