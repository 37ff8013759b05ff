package import GatewayCore
package import GatewayIdentity
package import GatewayKit
package import GatewayRuntime
package import GatewayTokens

/// The settings of a ``Space``: the gateway's times and limits, and its vendors.
package struct SpaceSettings: Sendable {
  package var configuration: GatewayConfiguration
  /// The first answers for paths that no vendor knows.
  package var vendors: [any VendorSettings]
  /// Signs the gateway's own tokens.
  package var issuer: any TokenIssuer
  package var provider: TokenProviderPolicy
  /// The application's own login, whose keys are fetched; nil for none.
  package var identity: LoginIssuers?
  /// The judge of its opaque tokens; nil for none.
  package var introspector: Introspector?
  /// The questions to the application's own backend; nil for none.
  package var hooks: HookSettings?
  /// The hosts that may receive webhooks; nil if none are sent.
  package var webhooks: WebhookSettings?
  /// The collector of the traces; nil for no traces.
  package var telemetry: TelemetrySettings?
  /// The signals from outside that end logins.
  package var signals = SignalSettings()
  /// The seed of chance that may repeat itself; nil for the system's.
  package var seed: UInt64?
  /// The source of unpredictable chance; seeded in simulated worlds only.
  package var secrets = Secrets.system
  /// The turns of all nodes of the gateway; nil without other nodes.
  package var turns: (any Turns)?
  /// Whether it may be ordered to fail. It has one loop then.
  package var takesFaults = false
  /// Whether clients reach the gateway over TLS.
  package var isSecure = false
  /// Whether only this machine reaches it.
  package var isLocal = true

  package init(
    configuration: GatewayConfiguration, vendors: [any VendorSettings], issuer: any TokenIssuer,
    provider: TokenProviderPolicy
  ) {
    self.configuration = configuration
    self.vendors = vendors
    self.issuer = issuer
    self.provider = provider
  }

  /// Takes the keys of the other settings, which are equal but for their keys, e.g. a store's own secret.
  package mutating func sign(as other: SpaceSettings) {
    (vendors, issuer) = (other.vendors, other.issuer)
    // The vendors use the login's keys that are fetched into these.
    (identity, introspector, signals) = (other.identity, other.introspector, other.signals)
  }
}
