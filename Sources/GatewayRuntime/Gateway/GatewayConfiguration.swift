package import GatewayCore

/// The settings of a gateway, apart from the limits of the transport.
package struct GatewayConfiguration: Sendable {
  package var session: SessionPolicy
  /// How long a peer may be silent before it is pinged; nil for never.
  package var pingInterval: Duration?
  /// How long it may then stay silent before it counts as gone.
  package var pongTimeout: Duration
  /// The origins that browsers may come from; nil for all.
  package var allowedOrigins: Set<String>?
  /// The host names under which the port may be reached, in addition to loopback's, for requests without a login that
  /// are not public; nil for any.
  package var hosts: [String]?
  /// The maximum number of calls one connection may watch.
  package var callsPerConnectionMax: Int
  /// The maximum number of commands of one connection that may be under way or wait.
  package var commandsPerConnectionMax: Int
  /// The maximum numbers of single tokens and of users in the table of revocations. An order beyond is refused.
  package var revocationsMax: Int
  /// Whether `/echo` answers every message with itself, without authentication: for conformance tests.
  package var offersEcho: Bool
  /// The value of `Retry-After` while the gateway drains.
  package var retryAfter: Duration
  /// How much room there is for the journal of a gateway with one loop; nil for none.
  package var journalBytes: Int?
  /// The room that a journal usually has: 65,536 lines.
  package static let usualJournalBytes = 4 << 20
  /// The part of it for the content of messages; nil to store no content.
  package var journalPayloadBytes: Int?
  /// The log; nil for none.
  package var log: GatewayLog?
  /// Which operations are traced; nil for none.
  package var traces: TraceSettings?
  /// The life of this process among the processes with a common store. The name of every connection contains it.
  package var life = NodeBoot.first

  package init(
    session: SessionPolicy, pingInterval: Duration? = .seconds(30), pongTimeout: Duration = .seconds(10),
    allowedOrigins: Set<String>? = nil, callsPerConnectionMax: Int = 100,
    commandsPerConnectionMax: Int = 64, revocationsMax: Int = 1_000_000, offersEcho: Bool = false,
    retryAfter: Duration = .seconds(5)
  ) {
    self.session = session
    self.pingInterval = pingInterval
    self.pongTimeout = pongTimeout
    self.allowedOrigins = allowedOrigins
    self.callsPerConnectionMax = callsPerConnectionMax
    self.commandsPerConnectionMax = commandsPerConnectionMax
    self.revocationsMax = revocationsMax
    self.offersEcho = offersEcho
    self.retryAfter = retryAfter
  }

  /// The treatment of silent peers, for dialects without one of their own.
  package var liveness: Liveness {
    pingInterval.map { .ping(after: $0, timeout: pongTimeout) } ?? .none
  }
}
