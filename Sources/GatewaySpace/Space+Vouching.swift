internal import GatewayCore
internal import GatewayIdentity
internal import GatewayRuntime

/// The application's own servers that vouch for its users, as they are now.
package struct Vouching: Sendable {
  /// An issuer of tokens, whose keys are fetched.
  package struct Issuer: Sendable {
    package let name: String
    /// The number of its usable keys.
    package let keys: Int
    /// The time since they were last read or confirmed; nil before the first try.
    package let age: Duration?
  }

  /// A server that is asked: for keys, about tokens or about users.
  package struct Server: Sendable {
    package let name: String
    /// Whether it fails, so that it is asked only once a second.
    package let isAway: Bool
  }

  package let issuers: [Issuer]
  package let servers: [Server]
  /// The number of sessions that go on because the application's backend cannot be asked.
  package let sessionsOnGrace: Int
}

extension Space {
  /// Returns who vouches for users; nil if the gateway asks nobody.
  package func vouching() async -> Vouching? {
    // Neither receivers of webhooks nor collectors of traces vouch for anybody.
    let servers = caller.breakers
      .filter { !WebhookSender.isEndpoint($0.name) && (telemetry == nil || $0.name != TelemetrySettings.name) }
      .map { Vouching.Server(name: $0.name, isAway: $0.isOpen) }
    guard !servers.isEmpty || !issuers.isEmpty else { return nil }
    let now = await gateway.tables[0].perform { $0.loop.transport.now }
    let known = issuers.map { issuer in
      let keys = issuer.keys(at: now)
      return Vouching.Issuer(name: issuer.settings.name, keys: keys.count, age: keys.age)
    }
    return Vouching(issuers: known, servers: servers, sessionsOnGrace: hooks?.sessionsOnGrace ?? 0)
  }
}
