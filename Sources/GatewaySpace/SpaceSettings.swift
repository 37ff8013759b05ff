package import GatewayCore
package import GatewayKit
package import GatewayRuntime
package import GatewayTokens

/// The settings of a ``Space``: the gateway's times and limits, and which vendors it plays; `postern serve` reads them
/// from its flags, for instance.
package struct SpaceSettings: Sendable {
  package var configuration: GatewayConfiguration
  /// The first answers for paths that no vendor knows.
  package var vendors: [any VendorSettings]
  /// Signs the gateway's own tokens.
  package var issuer: any TokenIssuer
  package var provider: TokenProviderPolicy
  /// The seed of chance that may repeat itself; nil for the system's.
  package var seed: UInt64?
  /// Where chance comes from that nobody may foresee; of a seed in simulated worlds only.
  package var secrets = Secrets.system
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

  /// Has the keys of the other settings, that are these but for their keys: a store's own secret, for instance.
  package mutating func sign(as other: SpaceSettings) {
    (vendors, issuer) = (other.vendors, other.issuer)
  }
}
