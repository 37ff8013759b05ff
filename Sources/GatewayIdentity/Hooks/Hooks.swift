package import GatewayCore
internal import GatewayKit
package import GatewayRuntime
package import GatewayTokens
internal import Synchronization

/// The questions to the application's own backend about clients that connect, refresh and join. They are in the JSON of
/// Centrifugo's proxy, signed after Standard Webhooks.
///
/// Without hooks there is none, and no connection keeps anything for it.
package final class Hooks: Sendable {
  let settings: HookSettings
  let gateway: Gateway
  let counts = HookCounts()
  let returns: HookReturns
  private let caller: EndpointCaller
  private let endpoints: [Hook: Endpoint]
  private let secrets: Mutex<HookSettings.Secrets>
  let log: GatewayLog?
  /// The beginning of each question's name, which no other process has.
  private let prefix: String
  private let questions = Atomic<UInt64>(0)
  private let seats: [Seats]
  /// The pace of postponed questions; nil before the first.
  private let pace = Mutex<TokenBucket?>(nil)

  /// The connections of one loop. Touched only on it.
  ///
  /// `@unchecked Sendable`: see above.
  private final class Seats: @unchecked Sendable {
    var all: [UInt64: HookSeat] = [:]
    lazy var stage = LoopStage(loop: loop)
    private let loop: EventLoop

    init(on loop: EventLoop) { self.loop = loop }
  }

  /// The maximum number of tries of a question. A client can repeat a command itself.
  private static let tries: [Hook: Int] = [.connect: 2, .refresh: 2, .commands: 1]

  /// Creates the hooks of a gateway, which ask nobody before `caller` has begun.
  ///
  /// - Parameter secrets: The source of the questions' names.
  package init(_ settings: HookSettings, of gateway: Gateway, by caller: EndpointCaller, secrets: GatewayTokens.Secrets)
  {
    self.settings = settings
    self.gateway = gateway
    self.caller = caller
    self.secrets = Mutex(settings.secrets)
    returns = HookReturns(patience: settings.grace)
    log = gateway.configuration.log
    prefix = "hk_" + secrets.bytes(8).map { Self.hex($0) }.joined()
    endpoints = Hook.allCases.reduce(into: [:]) { endpoints, hook in
      guard let address = settings.address(of: hook) else { return }
      endpoints[hook] = Endpoint(
        address, counted: caller.tally(hook.endpoint), timeout: settings.timeout, triesMax: Self.tries[hook] ?? 1,
        identity: settings.tls, keepsConnections: true, traced: hook.span)
    }
    seats = gateway.tables.map { Seats(on: $0.loop) }
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return byte < 16 ? "0" + text : text
  }

  /// Reads the files of TLS with the backend. Only on the loop.
  package func prepare(on loop: EventLoop) {
    for endpoint in endpoints.values { caller.prepare(endpoint, on: loop) }
  }

  /// Takes the secrets of the other, whose files were read anew.
  package func takeSecrets(of fresh: HookSettings?) {
    guard let fresh else { return }
    secrets.withLock { $0 = fresh.secrets }
  }

  /// Returns the same binding with the backend's decisions about its clients.
  package func decorate(_ binding: DialectBinding) -> DialectBinding {
    guard settings.asks(about: binding.dialect.name) else { return binding }
    let judges = settings.connect != nil || settings.refresh != nil
    let dialect = binding.dialect
    let authenticator = HookedAuthenticator(
      inner: binding.authenticator, hooks: self,
      isAlone: settings.judge == .instead && dialect.letsApplicationJudge, tellsData: dialect.letsApplicationJudge)
    let commands = binding.commands.map { HookedCommands(inner: $0, hooks: self) }
    return binding.replacing(
      authenticator: judges ? authenticator : binding.authenticator,
      commands: settings.commands != nil ? commands : binding.commands)
  }

  /// Returns the state for a connection; nil if it has ended. Only on its loop.
  func seat(of connection: ConnectionID) -> HookSeat? { seats[connection.loop].all[connection.serial] }

  /// Returns a token for a user that the backend has named.
  func newToken(of user: UserID) -> VerifiedToken {
    let number = questions.add(1, ordering: .relaxed).newValue
    return VerifiedToken(
      user: user, kind: .regular, fingerprint: TokenFingerprint(of: "\(prefix)_\(number)"),
      issuedAt: EventLoop.current?.wallTime, form: .none)
  }

  /// Begins work that belongs to a connection. Only on its loop.
  func begin(for seat: HookSeat, _ body: nonisolated(nonsending) @escaping @Sendable () async -> Void) {
    _ = seats[seat.connection.loop].stage.begin(body)
  }

  /// Returns whether a postponed question may be asked now. Only on a loop.
  func mayAskPostponed(_ hook: Hook, at now: Instant) -> Bool {
    guard let endpoint = endpoints[hook], endpoint.lets(at: now) else { return false }
    let rate = Double(settings.recoverRate)
    return pace.withLock { pace in
      if pace == nil { pace = TokenBucket(rate: rate, capacity: max(1, rate / 10), at: now) }
      return pace?.take(at: now) ?? false
    }
  }

  /// Asks a question. Returns nil if there is no usable answer. Only from a task on a loop.
  nonisolated(nonsending) func ask(_ question: HookQuestion, _ fields: [HTTPField] = []) async -> HookAnswer? {
    guard let endpoint = endpoints[question.hook], let loop = EventLoop.current else { return nil }
    let begun = loop.transport.now
    journal { $0.write(asking: question.told) }
    var result = HookCounts.Result.unjudged
    var failure: OutboundFailure?
    defer {
      counts.count(result, of: question.hook)
      let after = loop.transport.now - begun
      journal { $0.write(answer: result.rawValue, failure: failure?.result.rawValue, to: question.told, after: after) }
    }
    do throws(OutboundFailure) {
      let request = request(question, fields, endpoint, at: loop.wallTime)
      let answer = try await caller.ask(endpoint, request, about: question.about) {
        (response) throws(OutboundFailure) in
        try HookAnswer(response)
      }
      if let objection = question.objection(to: answer) { throw OutboundFailure(objection, .malformed) }
      result = answer.result
      return answer
    } catch {
      failure = error
      note(error, of: question.hook, at: loop.transport.now)
      return nil
    }
  }

  /// Writes into the journal, if one is kept. Only on a loop.
  func journal(_ write: (Journal) -> Void) {
    // Only a gateway of one loop keeps one.
    guard let journal = gateway.journal, journal.loop.isCurrent else { return }
    write(journal)
  }

  private func note(_ failure: OutboundFailure, of hook: Hook, at now: Instant) {
    guard let count = counts.tells(.failed(hook), at: now) else { return }
    log?.note(
      .warning, "hook_failed", ["hook": hook.rawValue, "error": failure.description, "failures": String(count)])
  }

  private func request(
    _ question: HookQuestion, _ fields: [HTTPField], _ endpoint: Endpoint, at now: WallTime
  ) -> HTTPRequest {
    let body = question.body
    let number = questions.add(1, ordering: .relaxed).newValue
    let (id, timestamp) = ("\(prefix)_\(number)", String(now.nanoseconds / 1_000_000_000))
    let secrets = secrets.withLock { $0 }
    var all = fields + (question.trace?.fields ?? [])
    all.append(HTTPField("content-type", "application/json"))
    all.append(HTTPField("webhook-id", id))
    all.append(HTTPField("webhook-timestamp", timestamp))
    if let signing = secrets.signing {
      all.append(HTTPField("webhook-signature", signing.signature(id, timestamp, body)))
    }
    if let bearer = secrets.bearer { all.append(HTTPField("authorization", "Bearer \(bearer)")) }
    return endpoint.address.request("POST", all, body: body)
  }

  /// The number of sessions that go on because the backend cannot be asked.
  package var sessionsOnGrace: Int { counts.onGrace }

  /// Writes the figures of `hooks`, or of none, so that every series is there from the start.
  package static func write(_ hooks: Hooks?, to page: inout PrometheusText) {
    (hooks?.counts ?? HookCounts()).write(to: &page)
  }
}

extension Hooks: ConnectionAttendant {
  private static let fieldsBytesMax = 4 << 10

  package func origin(of upgrade: HTTPRequest) -> UpgradeOrigin {
    var left = Self.fieldsBytesMax
    let fields = upgrade.headers.filter { field in
      guard settings.headers.contains(where: { Name($0) == Name(field.name) }) else { return false }
      left -= field.name.utf8.count + field.value.utf8.count
      return left >= 0
    }
    return UpgradeOrigin(
      address: upgrade.peer, fields: fields, trace: settings.connect == nil ? nil : TraceContext(of: upgrade))
  }

  package func takesNoCredentials(of dialect: any Dialect) -> Bool {
    settings.judge == .instead && dialect.letsApplicationJudge && settings.asks(about: dialect.name)
  }

  package func opened(_ connection: ConnectionID, from origin: UpgradeOrigin) {
    let dialect = gateway.table(of: connection)?.connection(connection)?.dialect
    let name = dialect?.name ?? ""
    guard settings.asks(about: name) else { return }
    let returns = settings.connect != nil && dialect?.renewal == .reconnect
    seats[connection.loop].all[connection.serial] = HookSeat(connection, name, returns: returns, from: origin, of: self)
  }

  package func ended(_ connection: ConnectionID) {
    guard let seat = seats[connection.loop].all.removeValue(forKey: connection.serial) else { return }
    let loop = gateway.tables[connection.loop].loop
    if let user = seat.admitted { returns.leave(user, at: loop.now) }
    seat.take(.none, wakingAt: nil, ending: .gone, on: loop)
  }
}

extension HookAnswer {
  fileprivate var result: HookCounts.Result {
    switch self {
    case .accepted: .accepted
    case .expired: .expired
    case .refused: .refused
    case .closed: .closed
    }
  }
}
