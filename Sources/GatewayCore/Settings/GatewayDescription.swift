/// A gateway's account of its own settings, at `GET /settings` of the control port: a storm reads there which refresh
/// time-out to expect, for instance. Holds no secret and no path of a file. Durations are in seconds; what is nil has
/// no limit, or is not done. `Deploy/api/control.yaml` describes it.
package struct GatewayDescription: Hashable, Sendable, Codable {
  /// The version of this program and of its API documents.
  package static let currentVersion = "1.0.0"

  package var name = "postern"
  package var version = Self.currentVersion
  /// In the order in which upgrade requests are offered to them.
  package var dialects: [Dialect]
  package var limits: Limits
  package var provider: Provider
  /// Event loops, a thread each.
  package var loops: Int
  package var tls: Bool

  package init(dialects: [Dialect], limits: Limits, provider: Provider, loops: Int, tls: Bool) {
    self.dialects = dialects
    self.limits = limits
    self.provider = provider
    self.loops = loops
    self.tls = tls
  }

  /// The times that the sessions of one wire format keep to, in seconds: `refreshTimeoutS` 60, for instance.
  package struct Dialect: Hashable, Sendable, Codable {
    package var name: String
    package var loginTimeoutS: Double
    package var refreshTimeoutS: Double
    package var refreshLeadS: Double
    package var refreshSpreadS: Double
    /// What happens to live sessions of a revoked token: `refresh` or `close`.
    package var revocation: String
    /// How long a peer may be silent before it is pinged, and after that.
    package var pingIntervalS: Double?
    package var pongTimeoutS: Double?
    /// How long a peer may be silent that is not pinged.
    package var silenceMaxS: Double?

    package init(_ name: String, _ policy: SessionPolicy, _ liveness: Liveness) {
      self.name = name
      loginTimeoutS = policy.loginTimeout.inSeconds
      refreshTimeoutS = policy.refreshTimeout.inSeconds
      refreshLeadS = policy.refreshLead.inSeconds
      refreshSpreadS = policy.refreshSpread.inSeconds
      revocation = policy.revocation.rawValue
      switch liveness {
      case .ping(let interval, let timeout):
        pingIntervalS = interval.inSeconds
        pongTimeoutS = timeout.inSeconds
      case .silence(let longest): silenceMaxS = longest.inSeconds
      case .none: break
      }
    }
  }

  /// The limits that the gateway sets its peers: a message of 65,536 bytes, for instance.
  package struct Limits: Hashable, Sendable, Codable {
    package var connectionsMax: Int
    package var connectionsPerSecond: Double?
    package var messageBytesMax: Int
    package var bodyBytesMax: Int
    package var headerBytesMax: Int
    package var outboundBytesMax: Int

    package init(
      connectionsMax: Int, connectionsPerSecond: Double?, messageBytesMax: Int, bodyBytesMax: Int, headerBytesMax: Int,
      outboundBytesMax: Int
    ) {
      self.connectionsMax = connectionsMax
      self.connectionsPerSecond = connectionsPerSecond
      self.messageBytesMax = messageBytesMax
      self.bodyBytesMax = bodyBytesMax
      self.headerBytesMax = headerBytesMax
      self.outboundBytesMax = outboundBytesMax
    }
  }

  /// The settings of the built-in token provider: it answers after 0.2 s and fails one time in ten, for instance.
  package struct Provider: Hashable, Sendable, Codable {
    package var latencyS: Double
    package var concurrency: Int?
    package var queueMax: Int
    package var failureRate: Double
    package var tokenLifeS: Double?
    /// Whether its callers must send a bearer token.
    package var needsSecret: Bool

    package init(
      latencyS: Double, concurrency: Int?, queueMax: Int, failureRate: Double, tokenLifeS: Double?, needsSecret: Bool
    ) {
      self.latencyS = latencyS
      self.concurrency = concurrency
      self.queueMax = queueMax
      self.failureRate = failureRate
      self.tokenLifeS = tokenLifeS
      self.needsSecret = needsSecret
    }
  }
}
