package import GatewayCore
package import GatewayRuntime
package import GatewayServer
package import GatewaySpace
package import GatewayStores

/// The settings of a gateway process at its start.
package struct GatewaySettings: Sendable {
  /// The gateway itself, independent of its ports.
  package var space: SpaceSettings
  package var limits = ServerLimits()
  /// The addresses that the gateway listens on, all with the same port.
  package var hosts = ["127.0.0.1"]
  /// Whether hosts after the first are skipped if they do not exist.
  package var skipsMissingHosts = false
  /// The gateway's port; 0 for a free one.
  package var port = 0
  package var controlHost = "127.0.0.1"
  /// The control port; 0 for a free one.
  package var controlPort = 0
  /// The bearer secret for requests to the control port; nil if it is bound to loopback.
  package var controlSecret: String?
  /// The flags whose files hold the keys, secrets and passwords, in the user's words, e.g. `--secret-file`.
  package var keyFiles: [String] = []
  /// The host names, besides its address and loopback's, by which a control port without a secret may be addressed.
  package var controlAllowedHosts: [String] = []
  package var tls: TLSFiles?
  /// The proxies in front of the gateway's port whose information about clients' addresses is trusted.
  package var proxies = TrustedProxies()
  /// Whether these proxies begin each connection with the PROXY protocol.
  package var speaksProxyProtocol = false
  /// The number of event loops, one thread each.
  package var loops = 1
  /// The store for all that the gateway keeps.
  package var store = StoreChoice.memory
  /// The name of this process among the processes with a common store; nil if it has the store for itself.
  package var nodeName: String?
  /// Whether unreadable rows of the store are set aside.
  package var setsDamagedAside = false
  /// The settings of spaces hosted in this process; nil for none.
  package var spaces: SpacesSettings?
  /// Adds the process's own counters to the page of metrics.
  package var figures: @Sendable (inout PrometheusText) -> Void = { _ in }

  package init(_ space: SpaceSettings) {
    self.space = space
  }
}
