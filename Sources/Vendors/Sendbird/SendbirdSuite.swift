package import GatewayCore
package import GatewayTokens
internal import Synchronization

/// A Sendbird application put together.
package struct SendbirdSuite: Sendable {
  package let settings: SendbirdSettings
  package let sessions: SendbirdSessions
  /// Signs session tokens.
  package let signer: JWTSigner
  private let verifier: JWTVerifier
  private let channels: any SendbirdChannelDirectory

  /// An application whose sessions are kept on `executor`, which is best the directory's.
  package init(
    _ settings: SendbirdSettings, directory: any SendbirdDirectory, channels: any SendbirdChannelDirectory,
    on executor: any SerialExecutor, generator: SeededGenerator
  ) throws(KeyError) {
    self.settings = settings
    self.channels = channels
    let key = try KeyMaterial.secret(Array(settings.apiToken.token.utf8))
    signer = try JWTSigner(key, algorithm: .hs256, allowingShortSecret: true)
    verifier = JWTVerifier(keys: try KeySet([VerificationKey(key, allowingShortSecret: true)]))
    sessions = SendbirdSessions(
      on: executor, settings: settings, directory: directory, channels: channels, signer: signer,
      generator: generator)
  }

  /// The dialect for a gateway of that policy. `operations` does the commands of channels and messages, `observer` hears
  /// of connections that end, `routes` has the rest of the HTTP side.
  package func dialectSuite(
    _ policy: SessionPolicy, operations: (any OperationHandler)? = nil, observer: (any ConnectionObserver)? = nil,
    routes: @escaping @Sendable (SendbirdGate, any GatewayServices) -> [HTTPRoute] = { _, _ in [] }
  ) throws(SessionPolicyError) -> DialectSuite {
    let binding = DialectBinding(
      SendbirdDialect(settings), SendbirdAuthenticator(sessions: sessions, verifier: verifier),
      session: try Self.policy(policy), liveness: .silence(settings.silenceMax),
      operations: SendbirdOperations(operations),
      observer: SendbirdConnections(sessions: sessions, next: observer))
    return DialectSuite(
      [binding], issuers: ["sendbird": SendbirdTokenIssuer(signer: signer)],
      routes: { [self] services in
        sessions.gateway.withLock { $0 = services }
        let gate = SendbirdGate(settings: settings, sessions: sessions, services: services)
        let own = SendbirdSessionRoutes(sessions: sessions, verifier: verifier, gate: gate, services: services)
        return own.routes + routes(gate, services)
      },
      figures: { [self] in await figures })
  }

  /// What fills memory, and what was refused so that it does not.
  private var figures: [DialectFigure] {
    get async {
      let usage = await channels.usage
      return [
        DialectFigure(
          "postern_sendbird_new_users_refused_total", .counter, "Users not made: their address had made too many.",
          Double(await sessions.newUsersRefused)),
        DialectFigure("postern_sendbird_channels", .gauge, "Channels kept.", Double(usage.channels)),
        DialectFigure("postern_sendbird_channel_bytes", .gauge, "Bytes they take.", Double(usage.channelBytes)),
        DialectFigure("postern_sendbird_messages", .gauge, "Messages kept.", Double(usage.messages)),
        DialectFigure("postern_sendbird_message_bytes", .gauge, "Bytes they take.", Double(usage.messageBytes)),
        DialectFigure(
          "postern_sendbird_messages_displaced_total", .counter, "Messages that gave way to others for want of room.",
          Double(usage.messagesDisplaced)),
      ]
    }
  }

  /// A refused client reads why and goes by itself, or is closed before long: JavaScript's third generation comes back
  /// only then. One whose refresh is refused stays, since its application may have
  /// another token yet, until the time-out.
  private static func policy(_ gateway: SessionPolicy) throws(SessionPolicyError) -> SessionPolicy {
    try SessionPolicy(
      loginTimeout: gateway.loginTimeout, refreshTimeout: gateway.refreshTimeout, refreshLead: gateway.refreshLead,
      refreshSpread: gateway.refreshSpread, refusalLinger: .seconds(1), closeTimeout: gateway.closeTimeout,
      refusedRefreshesMax: 100, malformedMax: gateway.malformedMax, revocation: gateway.revocation,
      anyRefreshTimeout: true)
  }
}
