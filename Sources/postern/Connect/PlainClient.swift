import GatewayCore
import GatewayPlain
import GatewayRuntime

/// A client of the plain dialect. It connects, and answers each refresh request with a new token of the provider, or with
/// the next token of its own.
///
/// An actor on the loop of its socket, so that the socket's events are handled without a hop.
actor PlainClient {
  /// An event of a client, reported in the order of occurrence.
  enum News: Sendable {
    case connected(ConnectionID?)
    case asked(timeout: Duration?)
    case refreshed
    case error(number: Int, name: String)
    case closing(name: String)
    /// The end: the code of the gateway's close frame; nil if the connection ended without one.
    case closed(code: UInt16?)
    /// The end before a connection, e.g. an address without a server, or no token.
    case failed(String)
  }

  /// The setup of a client: the user, the gateway, the provider and the tokens.
  struct Setup: Sendable {
    /// The user whose tokens the provider makes; nil for a client with tokens of its own.
    var user: UserID?
    var gateway: DialTarget
    var provider: DialTarget
    var providerSecret: Credentials?
    /// The lifetime of its tokens.
    var life: Duration
    /// The client's own tokens, in place of the provider's.
    var tokens: OwnTokens?
  }

  private nonisolated let loop: EventLoop
  private nonisolated let dialer: any Dialer
  private nonisolated let setup: Setup
  private nonisolated let dialect: PlainClientDialect
  private nonisolated let tell: @Sendable (News) -> Void
  private var token: Credentials?
  private var ownTokens: OwnTokens?
  private var socket: (any Socket)?

  private static let providerTimeout = Duration.seconds(30)
  /// The name of a user that only the token knows. It is sent nowhere.
  private static let nobody = UserID("")

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ setup: Setup, on loop: EventLoop, dialer: any Dialer, tell: @escaping @Sendable (News) -> Void) {
    self.setup = setup
    self.loop = loop
    self.dialer = dialer
    self.tell = tell
    ownTokens = setup.tokens
    dialect = PlainClientDialect(providerSecret: setup.providerSecret)
  }

  /// Fetches a token, then dials. The token is sent when the socket is open.
  func connect() async {
    guard await fetchToken() else { return }
    let upgrade = dialect.upgrade(of: identity)
    dialer.dial(setup.gateway, upgrade: upgrade.request, subprotocols: upgrade.subprotocols, handler: self)
  }

  private func handle(_ notice: ServerNotice) {
    switch notice {
    case .connected(let connection, _): tell(.connected(connection))
    case .refreshRequired(let timeout, _):
      tell(.asked(timeout: timeout))
      Task.immediate(executorPreference: loop) { await self.refresh() }
    case .refreshed: tell(.refreshed)
    case .error(let number, let name): tell(.error(number: number, name: name))
    case .closing(let name): tell(.closing(name: name))
    // The plain dialect has no other notices.
    case .keyRenewed, .busy, .sessionClosed, .alive, .remark, .goodbye, .cue, .tokenCue, .tokenLife, .pushed: break
    }
  }

  private func refresh() async {
    guard await fetchToken(), let token else { return }
    send(.refresh(token))
  }

  private func send(_ message: ClientMessage) {
    // A message to a closed socket is dropped: the close is reported separately.
    _ = socket?.send(dialect.encode(message))
  }

  /// Fetches a token, or takes the next of its own. Returns whether there is one.
  private func fetchToken() async -> Bool {
    guard ownTokens == nil else {
      do {
        token = try ownTokens?.next()
      } catch {
        token = nil
        tell(.failed("no token: \(error)"))
      }
      return token != nil
    }
    let user = setup.user ?? Self.nobody
    let request = dialect.tokenRequest(for: user, life: .lasting(setup.life), at: loop.wallTime)
    switch await dialer.fetch(request, from: setup.provider, timeout: Self.providerTimeout) {
    case .success(let response):
      token = dialect.token(in: response)
      if token == nil { tell(.failed("the token provider answered \(response.status) without a token")) }
    case .failure(let failure):
      token = nil
      let hint = failure.addressHint(of: setup.provider, besides: setup.gateway)
      tell(.failed("no token: \(Self.text(failure, of: setup.provider))\(hint)"))
    }
    return token != nil
  }

  private var identity: ClientIdentity {
    ClientIdentity(user: setup.user ?? Self.nobody, token: token, now: loop.wallTime)
  }

  private static func text(_ failure: DialFailure, of target: DialTarget) -> String {
    switch failure {
    case .refused(let status): "\(target.host):\(target.port) answered with HTTP status \(status)"
    case .unreachable(let reason):
      "cannot reach \(target.host):\(target.port): \(reason); is a gateway running there? (--url, --provider)"
    case .insecure(let failure): "\(target.host):\(target.port) is not trusted: \(failure)"
    case .timedOut: "\(target.host):\(target.port) did not answer in time; is it a gateway? (--url, --provider)"
    }
  }
}

// MARK: - Events of the socket

extension PlainClient: SocketHandler {
  nonisolated func socketOpened(_ socket: any Socket) {
    assumeIsolated { client in
      client.socket = socket
      if let token = client.token { client.send(.connect(token)) }
    }
  }

  nonisolated func socketRefused(_ failure: DialFailure) {
    let hint = failure.addressHint(isTLS: setup.gateway.isTLS)
    tell(.failed("no connection: \(Self.text(failure, of: setup.gateway))\(hint)"))
  }

  nonisolated func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    guard let notice = dialect.decode(payload, kind) else { return }
    assumeIsolated { $0.handle(notice) }
  }

  nonisolated func socketReceivedPong() {}

  nonisolated func socketReceivedPing() {}

  nonisolated func socketViolated(_ reason: CloseReason) { tell(.closing(name: reason.name)) }

  nonisolated func socketClosed(_ peerCode: UInt16?) { tell(.closed(code: peerCode)) }
}
