import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayPlanner
import GatewayRuntime
import GatewaySimulator
import GatewaySpace

/// The facts of a vendor's wire that state machines need, e.g. the close code for an expired token.
///
/// They are derived from the vendor's own dialects: the gateway's dialect encodes each message, and the client's decodes it,
/// as on a connection.
struct WireReading {
  private let client: any ClientDialect
  private let gateway: Space
  private let world: SimulatedWorld
  private let clients: SimulatedClients
  private let times: StormPlan.GatewayTimes
  private static let user = UserID("storm-0")

  /// Prepares a gateway that speaks the wire.
  ///
  /// - Parameter clients: The clients with that wire.
  init(_ clients: SimulatedClients) throws {
    self.clients = clients
    var plan = StormPlan()
    // Values that no wire has by itself.
    plan.gateway.timeout = .milliseconds(61_237)
    plan.gateway.lead = .milliseconds(1_239)
    plan.gateway.spread = .milliseconds(2_241)
    times = plan.gateway
    let settings = WorldSettings(plan: plan, provider: ProviderModel())
    client = clients.dialect.client
    world = SimulatedWorld(seed: 1, loops: 1, keepsTrace: false)
    gateway = try WireWorld(settings, clients).startGateway(
      in: world, SimulatedNetwork(world), loops: 1, takesFaults: false)
  }

  /// Returns the model; nil if the clients have habits that machines cannot play, e.g. they remember messages or request
  /// their token in the middle of the login.
  func model() -> WireModel? {
    let habits = client.habits
    let identity = ClientIdentity(user: Self.user, token: token, now: world.wallTime)
    guard client.memory(of: identity) == nil, client.ahead(of: identity, nil) == nil, !habits.asksAtNeed,
      !habits.isLoggedInAtOpen, habits.settle == .zero, habits.refresh == RefreshHabit()
    else { return nil }
    var upgrade = client.upgrade(of: identity).request
    let subprotocols = client.upgrade(of: identity).subprotocols
    if !subprotocols.isEmpty {
      upgrade.headers.append(HTTPField("sec-websocket-protocol", subprotocols.joined(separator: ", ")))
    }
    guard let binding = gateway.gateway.bindings.first(where: { $0.dialect.accepts(upgrade) }) else { return nil }
    var model = WireModel(habits: habits, session: binding.session, of: times, times: binding.times)
    let carried = try? binding.dialect.credentials(in: upgrade)
    model.isLoginInUpgrade = carried != nil
    guard let credentials = carried ?? firstCredentials(binding, identity),
      case .connected(_, let welcome) = notice(
        of: .connected(
          Self.connection, user: Self.user, kind: .regular, expiresIn: .seconds(600), request: nil,
          welcome: welcome(credentials, binding, upgrade)), binding, isLoggedIn: true)
    else { return nil }
    model.welcome = welcome
    read(binding, into: &model)
    return model
  }

  private static let connection = ConnectionID(loop: 0, serial: 1)
  private static let request = RequestID("1")

  /// Reads all facts that need no login.
  private func read(_ binding: DialectBinding, into model: inout WireModel) {
    for cause in RefreshCause.allCases {
      model.requests[cause] = notice(
        of: .refreshRequired(cause, timeout: .seconds(60)), binding, isLoggedIn: true)
    }
    let refreshed = #"{"new_key":"key"}"#
    model.refreshed = notice(
      of: .refreshed(expiresIn: .seconds(600), request: Self.request, welcome: refreshed), binding, isLoggedIn: true)
    model.answersPings = notice(of: .pong(request: Self.request), binding, isLoggedIn: true) == .alive
    model.answersProtocolPings = binding.dialect.answersProtocolPings
    for error in GatewayError.all {
      model.refusals[error.number] = notice(of: .loginRefused(error, request: nil), binding, isLoggedIn: false)
      model.errors[error.number] = notice(of: .error(error, request: Self.request), binding, isLoggedIn: true)
    }
    for reason in CloseReason.all { model.closeCodes[reason.code] = binding.dialect.closeReason(for: reason).code }
    let identity = ClientIdentity(user: Self.user, now: world.wallTime)
    model.refreshesOpenConnections = client.encode(.refresh(Credentials(token: "token")), of: identity) != nil
  }

  /// Returns how a client decodes a message of the gateway; nil if the gateway sends nothing, or the client does not
  /// understand it.
  private func notice(of message: OutboundMessage, _ binding: DialectBinding, isLoggedIn: Bool) -> ServerNotice? {
    let context = DialectContext(
      connection: Self.connection, isLoggedIn: isLoggedIn, expiresIn: isLoggedIn ? .seconds(30) : nil,
      now: world.wallTime)
    guard let frame = binding.dialect.encode(message, context) else { return nil }
    return frame.payload.withUnsafeBytes { client.decode($0, frame.kind) }
  }

  // MARK: A login

  /// A token of the vendor.
  private var token: Credentials? {
    let now = world.wallTime
    return gateway.vendors.compactMap { $0.issuers[clients.vendor.scheme] }.first?.mint(
      user: Self.user, kind: .regular, issuedAt: now, expiresAt: now + .seconds(3600), calls: nil)
  }

  /// Returns the credentials in the client's first message.
  private func firstCredentials(_ binding: DialectBinding, _ identity: ClientIdentity) -> Credentials? {
    guard let token = identity.token, let frame = client.encode(.connect(token), of: identity) else { return nil }
    let context = DialectContext(connection: Self.connection, isLoggedIn: false, now: world.wallTime)
    return frame.payload.withUnsafeBytes { bytes in
      guard case .credentials(let credentials, _) = try? binding.dialect.decode(bytes, frame.kind, context) else {
        return nil
      }
      return credentials
    }
  }

  /// Returns the vendor's additions to the welcome of an accepted login.
  private func welcome(_ credentials: Credentials, _ binding: DialectBinding, _ upgrade: HTTPRequest) -> String? {
    let bearer = Bearer(connection: Self.connection, upgrade: binding.dialect.details(of: upgrade))
    let judgement = binding.authenticator.judge(credentials, of: bearer, at: world.wallTime)
    let verdict = world.ask(on: 0) { await judgement.verdict }
    return (try? verdict?.get())?.welcome
  }
}
