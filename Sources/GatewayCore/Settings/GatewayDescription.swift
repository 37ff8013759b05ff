/// A gateway's description of its own settings, at `GET /settings` of the control port. A storm reads there e.g. which
/// refresh timeout to expect.
///
/// It contains no secret and no file path. Durations are in seconds. A nil means no limit, or that the gateway does not
/// do it. `Deploy/api/control.yaml` describes the format.
package struct GatewayDescription: Hashable, Sendable, Codable {
  /// The version of this program and of its API documents.
  package static let currentVersion = "1.0.0"

  package var name = "postern"
  package var version = Self.currentVersion
  /// The wire formats, in the order in which upgrade requests are offered to them.
  package var dialects: [Dialect]
  package var limits: Limits
  package var provider: Provider
  /// The number of event loops, which have a thread each.
  package var loops: Int
  package var tls: Bool

  package init(dialects: [Dialect], limits: Limits, provider: Provider, loops: Int, tls: Bool) {
    self.dialects = dialects
    self.limits = limits
    self.provider = provider
    self.loops = loops
    self.tls = tls
  }

  /// The times of the sessions of one wire format, in seconds.
  package struct Dialect: Hashable, Sendable, Codable {
    package var name: String
    package var loginTimeoutS: Double
    package var refreshTimeoutS: Double
    package var refreshLeadS: Double
    package var refreshSpreadS: Double
    /// The action for live sessions of a revoked token: `refresh` or `close`.
    package var revocation: String
    /// The silence after which a peer is pinged.
    package var pingIntervalS: Double?
    package var pongTimeoutS: Double?
    /// The longest allowed silence of a peer that is not pinged.
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

  /// The limits for peers.
  package struct Limits: Hashable, Sendable, Codable {
    package var connectionsMax: Int
    /// The connections that are accepted a second; nil for any number.
    package var connectionRate: Double?
    /// The same under its name before 1.1, for readers of then.
    package private(set) var connectionsPerSecond: Double?
    package var messageBytesMax: Int
    package var bodyBytesMax: Int
    package var headerBytesMax: Int
    package var outboundBytesMax: Int

    package init(
      connectionsMax: Int, connectionRate: Double?, messageBytesMax: Int, bodyBytesMax: Int, headerBytesMax: Int,
      outboundBytesMax: Int
    ) {
      self.connectionsMax = connectionsMax
      self.connectionRate = connectionRate
      connectionsPerSecond = connectionRate
      self.messageBytesMax = messageBytesMax
      self.bodyBytesMax = bodyBytesMax
      self.headerBytesMax = headerBytesMax
      self.outboundBytesMax = outboundBytesMax
    }
  }

  /// The settings of the built-in token provider.
  package struct Provider: Hashable, Sendable, Codable {
    package var latencyS: Double
    package var concurrency: Int?
    package var queueMax: Int
    package var failureRate: Double
    package var tokenLifeS: Double?
    /// Whether its callers must send a bearer token.
    package var needsSecret: Bool
    /// The limits on its requests, in the form of the flag `--provider-budget`; nil for none.
    package var budgets: [String]?
    /// The rotation of its refresh tokens, in the form of the flag `--provider-rotation`; nil if it gives none.
    package var rotation: String?

    package init(
      latencyS: Double, concurrency: Int?, queueMax: Int, failureRate: Double, tokenLifeS: Double?, needsSecret: Bool,
      budgets: [String]? = nil, rotation: String? = nil
    ) {
      self.latencyS = latencyS
      self.concurrency = concurrency
      self.queueMax = queueMax
      self.failureRate = failureRate
      self.tokenLifeS = tokenLifeS
      self.needsSecret = needsSecret
      self.budgets = budgets
      self.rotation = rotation
    }
  }
}
