internal import GatewayCore

/// The settings of a storm. The same plan and seed make the same fleet.
package struct StormPlan: Hashable, Sendable, Codable {
  /// The dialect, and which SDK of its vendor the clients use; nil if there is only one kind.
  package var dialect = "plain"
  package var sdk: String?
  /// The fleet's place in a storm of several; nil if it is the only one.
  package var fleet: FleetPlace?
  /// The number of clients, 1 to 1,000,000.
  package var clients = 1000
  /// Connections begun per second once the ramp is over.
  package var rate = 500.0
  /// How long the rate takes to rise linearly from 0.
  @InSeconds package var ramp: Duration = .zero
  /// How long all clients are connected and idle before the tokens expire.
  @InSeconds package var hold: Duration = .seconds(5)
  /// The rule for the end of the first tokens.
  package var expiry = Expiry.common
  /// When the first tokens expire, counted from the start; nil for the end of the ramp plus ``hold``.
  package var expireAfter: Double?
  /// The life of every token that answers a refresh request, and of the first tokens too if each expires by itself.
  @InSeconds package var life: Duration = .seconds(3600)
  /// Other lives of tokens, by the share of clients that have them; nil for ``life`` for all.
  package var lives: [ShareUpTo]?
  /// Clients that come by a rate of their own and leave again; nil for a fleet that comes once and stays. ``clients`` is
  /// then the maximum at one time, and ``rate``, ``ramp``, ``hold`` and ``waves`` mean nothing.
  package var arrivals: OpenArrivals?
  /// The share of ``life``, 0...1, over which expiries are scattered. The first tokens expire up to that much later
  /// than the common instant, and later tokens live up to that much shorter.
  package var jitter = 0.0
  /// How many times each client must be refreshed before the storm is over.
  package var waves = 1
  package var behaviours = BehaviourMix.allWell
  /// How long a slow client waits before it asks the provider.
  @InSeconds package var slowDelay: Duration = .seconds(3)
  /// How long a client that hammers waits before it asks again, in seconds; nil for as short as possible.
  package var hammerPause: Double?
  /// Whether the provider refuses the renewals of such a client for ever; nil for false.
  package var hammersInVain: Bool?
  /// How clients share refresh tokens; nil if the plan says nothing about it.
  package var grants: GrantPlan?
  /// The number of users behind one address; nil if ``sources`` alone decides the addresses.
  package var usersPerAddress: Int?
  /// Whether clients that were disconnected or refused come back, with full jitter.
  package var reconnects = false
  /// The time allowed for clients whose SDK reconnects by itself; 0 for other clients.
  @InSeconds package var comeback: Duration = .zero
  /// The wait before a repeated attempt, at the provider or at the gateway.
  package var backoff = Backoff(base: .milliseconds(500), cap: .seconds(10))
  /// A limit on the calls after failures; nil for none.
  package var retry: RetryRule?
  /// How often a client asks for the token of its login before it gives up.
  package var loginTries = 10
  package var seed: UInt64 = 1
  /// The number of addresses, from 127.0.0.1 on, from which clients connect; 0 for the system's choice.
  package var sources = 0
  package var processes = 1
  /// Loops (threads) of each process.
  package var loops = 1
  /// The maximum number of concurrent requests to the provider in each process; the wait in the queue counts as
  /// latency.
  package var fetches = 1000
  /// The maximum number of requests to the provider per second in the whole storm; nil for no limit.
  package var fetchRate: Double?
  @InSeconds package var fetchTimeout: Duration = .seconds(10)
  /// From the start of a connection until the gateway has accepted the token.
  @InSeconds package var connectTimeout: Duration = .seconds(30)
  /// The gateway's settings, as far as known.
  package var gateway = GatewayTimes()
  /// The maximum duration of the storm in seconds; nil to end when the last timeout must have passed.
  package var bound: Double?

  package init() {}

  /// The rule for the end of the first tokens.
  package enum Expiry: String, Hashable, Sendable, Codable {
    /// All at the same instant, as after a mass login.
    case common
    /// Each token expires at the end of its own life.
    case own
  }

  /// The gateway's settings that decide when it asks for a token and when it closes a client.
  package struct GatewayTimes: Hashable, Sendable, Codable {
    /// The time before expiry at which it asks.
    @InSeconds package var lead: Duration = .zero
    /// The window before that time over which it spreads the requests.
    @InSeconds package var spread: Duration = .zero
    /// How long it waits for the new token.
    @InSeconds package var timeout: Duration = .seconds(60)
    /// The sources of these three settings.
    package var leadSource = Source.assumed
    package var spreadSource = Source.assumed
    package var timeoutSource = Source.assumed

    package init() {}

    /// The source of a gateway setting, e.g. the gateway's own `GET /settings`.
    package enum Source: String, Hashable, Sendable, Codable {
      /// No source: the default applies.
      case assumed
      /// The options of the storm.
      case told
      /// The gateway's own settings.
      case gateway
    }
  }
}

/// The reason why a plan cannot be carried out, and the values that would be valid.
package struct StormPlanError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
