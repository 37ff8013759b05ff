import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import Synchronization
import TestSupport
import Testing

@testable import GatewayIdentity

/// A gateway in virtual time that takes the tokens of a ``VirtualIssuer``.
struct IdentitySpace {
  let inner: TestSpace<PlainVendor>
  let issuer: VirtualIssuer
  let fetched: FetchedIssuer

  static let secret = "the gateway's own secret, of more than thirty-two bytes"

  /// Creates a gateway whose loops have not asked for keys.
  ///
  /// - Parameters:
  ///   - issuer: The login.
  ///   - discovers: Whether its discovery document says where the keys are.
  ///   - client: The client whose logout tokens are taken, and whose security events, with the same keys; nil for none.
  ///   - logs: Keeps the log.
  ///   - takesFaults: Whether it may be broken on purpose.
  init(
    _ issuer: VirtualIssuer, discovers: Bool = false, client: Name? = nil, logs: LogKeeper = LogKeeper(),
    takesFaults: Bool = false
  ) throws {
    self.issuer = issuer
    let own = JWTVerifier(keys: try KeySet([try VerificationKey(try KeyMaterial.secret(Array(Self.secret.utf8)))]))
    var policy = TokenPolicy()
    policy.issuer = Name(VirtualIssuer.name)
    policy.audiences = ["realtime"]
    let place: IssuerSettings.Place =
      discovers ? .discovery : .keys(try EndpointAddress(VirtualIssuer.name + VirtualIssuer.keysPath))
    var login = try IssuerSettings(name: "login", place, policy: policy)
    login.logoutAudiences = client.map { [$0] } ?? []
    let logins = LoginIssuers([login], besides: own)
    fetched = logins.issuers[0]
    var plain = PlainSettings(verifier: logins.verifier)
    plain.issuerKeys = logins
    var configuration = GatewayConfiguration(session: try SessionPolicy())
    configuration.log = logs.log
    var settings = SpaceSettings(
      configuration: configuration, vendors: [plain], issuer: FakeTokens(), provider: try TokenProviderPolicy())
    settings.identity = logins
    settings.takesFaults = takesFaults
    if let client {
      settings.signals.login = logins
      settings.signals.transmitter = SignalSettings.Transmitter(
        FetchedIssuer(
          try IssuerSettings(name: "events", place, policy: policy),
          for: JWTVerifier(keys: own.keys, policy: own.policy)), audiences: [client],
        secret: nil)
      settings.signals.takesRevocations = true
    }
    inner = try TestSpace(settings, loops: takesFaults ? 1 : 2, keepsTrace: false)
    inner.network.listen(on: VirtualIssuer.target, loops: [inner.clients], site: issuer)
  }

  /// Begins to fetch; returns the failure that no later answer can change.
  func begin(patience: Duration = .seconds(10)) -> OutboundFailure? {
    let dialers = inner.world.loops.map { SimulatedDialer(inner.network, on: $0) }
    let space = inner.space
    let failure = inner.world.ask { () async -> OutboundFailure?? in
      do throws(OutboundFailure) {
        try await space.beginAsking(by: dialers, names: nil, patience: patience)
        return .some(nil)
      } catch {
        return .some(error)
      }
    }
    return failure.flatMap { $0 } ?? nil
  }

  /// Returns what becomes of a request with that token, on some loop: its error's number, and 0 if the token is accepted.
  func outcome(_ token: String) -> Int {
    let request = HTTPRequest(
      method: "GET", path: "/v1/calls/default/nowhere", headers: [HTTPField("authorization", "Bearer \(token)")])
    guard case .success(let response)? = inner.fetch(request) else { return -1 }
    return Self.number(response)
  }

  /// Returns the same of many requests at once.
  func outcomes(_ tokens: [String]) -> [Int] {
    let dialer = SimulatedDialer(inner.network, on: inner.clients)
    let started = tokens.map { token in
      let request = HTTPRequest(
        method: "GET", path: "/v1/calls/default/nowhere", headers: [HTTPField("authorization", "Bearer \(token)")])
      return inner.start { await dialer.fetch(request, from: .gateway, timeout: .seconds(30)) }
    }
    _ = inner.world.run(within: .seconds(60)) { started.allSatisfy { $0.value != nil } }
    return started.map { (try? $0.value?.get()).map(Self.number) ?? -1 }
  }

  private static func number(_ response: HTTPResponse) -> Int {
    let digits = response.text.drop { !$0.isNumber }.prefix { $0.isNumber }
    let number = Int(digits) ?? response.status
    // A token that is accepted gets as far as these: its user has no connection, or there is no such call.
    return [GatewayError.connectionRequired.number, GatewayError.notFound.number].contains(number) ? 0 : number
  }

  func advance(_ time: Duration) { inner.world.advance(by: time) }

  /// How often keys, or documents, were asked for.
  var requestCount: Int { issuer.requests.count }
}

/// A log that keeps its events.
final class LogKeeper: Sendable {
  private let events = Mutex<[LogEvent]>([])

  var log: GatewayLog { GatewayLog(level: .info) { [self] event in events.withLock { $0.append(event) } } }

  func all(_ name: String) -> [LogEvent] { events.withLock { $0.filter { $0.name == name } } }
}
