package import GatewayCore
package import GatewayTokens

/// The environment of a vendor: the gateway's services, clocks, times and the signer of its own tokens. All of it
/// exists before any vendor is created.
package struct Ground: Sendable {
  package let services: any GatewayServices
  /// The loop for things that a gateway has one of, e.g. directories and queues.
  package let executor: any (SerialExecutor & TaskExecutor)
  /// The same loop, for commands and requests that run on it as a whole.
  package let home: Home
  /// The store of the vendors' state.
  package let store: any Store
  /// The default times of sessions, for vendors that have no others.
  package let session: SessionPolicy
  /// The signer of the gateway's own tokens, including the tokens of plain guests.
  package let issuer: any TokenIssuer
  /// The seed of repeatable random values: names of guests, session keys.
  package let seed: UInt64
  /// The source of unpredictable random values: session tokens, names of invitations.
  package let secrets: Secrets
  /// The life of this process among the processes with a common store.
  package let life: NodeBoot
  /// The turns of all nodes of the gateway; nil without other nodes.
  package let turns: (any Turns)?
  /// Whether clients connect to the gateway over TLS.
  package let isSecure: Bool
  /// Whether only clients on this machine can connect to it.
  package let isLocal: Bool
  /// Sends webhooks; nil if the gateway sends none.
  package let webhooks: (any WebhookOutlet)?

  package init(
    services: any GatewayServices, executor: any (SerialExecutor & TaskExecutor), store: any Store,
    session: SessionPolicy,
    issuer: any TokenIssuer, seed: UInt64, secrets: Secrets, life: NodeBoot = .first,
    turns: (any Turns)? = nil, isSecure: Bool = false, isLocal: Bool = true,
    webhooks: (any WebhookOutlet)? = nil
  ) {
    self.services = services
    self.executor = executor
    home = Home(on: executor)
    self.store = store
    self.session = session
    self.issuer = issuer
    self.seed = seed
    self.secrets = secrets
    self.life = life
    self.turns = turns
    self.isSecure = isSecure
    self.isLocal = isLocal
    self.webhooks = webhooks
  }
}
