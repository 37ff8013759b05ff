package import GatewayCore
package import GatewayTokens

/// The ground that a vendor stands on: the gateway's services and clocks, its times, the signer of its own tokens. All
/// of it is there before any vendor is; `PlainVendor`, for instance, counts its crowds on ``executor``.
package struct Ground: Sendable {
  package let services: any GatewayServices
  /// The loop for what there is one of in a gateway: directories, queues.
  package let executor: any (SerialExecutor & TaskExecutor)
  /// The same, for commands and requests that run there as a whole.
  package let home: Home
  /// What remembers.
  package let store: any Store
  /// The times that sessions keep to where a vendor says nothing else.
  package let session: SessionPolicy
  /// Signs the gateway's own tokens, those of plain guests among them.
  package let issuer: any TokenIssuer
  /// Where chance comes from that may repeat itself: names of guests, session keys.
  package let seed: UInt64
  /// Where chance comes from that nobody may foresee: session tokens, names of invitations.
  package let secrets: Secrets
  /// Whether clients reach the gateway over TLS.
  package let isSecure: Bool
  /// Whether only this machine reaches it.
  package let isLocal: Bool

  package init(
    services: any GatewayServices, executor: any (SerialExecutor & TaskExecutor), store: any Store,
    session: SessionPolicy,
    issuer: any TokenIssuer, seed: UInt64, secrets: Secrets, isSecure: Bool = false, isLocal: Bool = true
  ) {
    self.services = services
    self.executor = executor
    home = Home(on: executor)
    self.store = store
    self.session = session
    self.issuer = issuer
    self.seed = seed
    self.secrets = secrets
    self.isSecure = isSecure
    self.isLocal = isLocal
  }
}
