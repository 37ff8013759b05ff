package import GatewayCore
package import GatewayRuntime
package import GatewayServer
package import GatewaySpace
package import GatewayStores

/// The settings of a gateway process at its start.
package struct GatewaySettings: Sendable {
  /// The gateway itself, whatever it listens on.
  package var space: SpaceSettings
  package var limits = ServerLimits()
  /// The addresses at which the gateway listens; the same port on each.
  package var hosts = ["127.0.0.1"]
  /// Whether to go on without the second and further hosts where one of them does not exist.
  package var skipsMissingHosts = false
  /// 0 for a free one.
  package var port = 0
  package var controlHost = "127.0.0.1"
  /// 0 for a free one.
  package var controlPort = 0
  /// The secret that the control port's callers must send; nil if it is bound to loopback.
  package var controlSecret: String?
  /// The names, beside its address and loopback's, that a control port without a secret may be asked for by.
  package var controlAllowedHosts: [String] = []
  package var tls: TLSFiles?
  /// The proxies in front of the gateway's port that are believed about clients' addresses.
  package var proxies = TrustedProxies()
  /// Whether they begin each connection with the PROXY protocol.
  package var speaksProxyProtocol = false
  /// How many event loops, a thread each.
  package var loops = 1
  /// The store.
  package var store = StoreChoice.memory
  /// Whether rows of the store that cannot be read are moved out of the way.
  package var setsDamagedAside = false
  /// How tests get spaces of their own in this process; nil if they get none.
  package var spaces: SpacesSettings?
  /// Adds what the process counts outside the gateway to the page of metrics.
  package var figures: @Sendable (inout PrometheusText) -> Void = { _ in }

  package init(_ space: SpaceSettings) {
    self.space = space
  }
}
