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

/// A gateway in virtual time that asks a ``VirtualIntrospection`` about opaque tokens.
struct IntrospectionSpace {
  let inner: TestSpace<PlainVendor>
  let server: VirtualIntrospection
  let introspector: Introspector
  let logs: LogKeeper

  /// - Parameters:
  ///   - policy: What an active token must hold.
  ///   - revocation: What a session meets whose token is no longer active.
  ///   - takesFaults: Whether it may be broken on purpose.
  ///   - change: Changes the settings.
  init(
    _ server: VirtualIntrospection = VirtualIntrospection(), policy: TokenPolicy = TokenPolicy(),
    revocation: SessionPolicy.RevocationAction = .refresh, logs: LogKeeper = LogKeeper(),
    takesFaults: Bool = false, _ change: (inout IntrospectionSettings) -> Void = { _ in }
  ) throws {
    self.server = server
    self.logs = logs
    let own = JWTVerifier(
      keys: try KeySet([try VerificationKey(try KeyMaterial.secret(Array(IdentitySpace.secret.utf8)))]))
    var settings = IntrospectionSettings(
      try EndpointAddress("https://login.example/introspect?tenant=a"), policy: policy)
    settings.client = IntrospectionSettings.Client(id: "the gateway", secret: "p:w%d")
    change(&settings)
    introspector = Introspector(settings, verifier: own)
    var plain = PlainSettings(verifier: own)
    plain.introspector = introspector
    var configuration = GatewayConfiguration(session: try SessionPolicy(revocation: revocation))
    configuration.log = logs.log
    var space = SpaceSettings(
      configuration: configuration, vendors: [plain], issuer: FakeTokens(), provider: try TokenProviderPolicy())
    space.introspector = introspector
    space.takesFaults = takesFaults
    inner = try TestSpace(space, loops: takesFaults ? 1 : 2, keepsTrace: false)
    inner.network.listen(
      on: DialTarget(host: "login.example", port: 443), loops: [inner.clients], site: server)
    let (dialers, whole) = (inner.world.loops.map { SimulatedDialer(inner.network, on: $0) }, inner.space)
    let failure = inner.world.ask { () async -> OutboundFailure? in
      do throws(OutboundFailure) {
        try await whole.beginAsking(by: dialers, names: nil)
        return nil
      } catch {
        return error
      }
    }
    #expect(failure == .some(nil))
  }

  /// Returns a client that has presented the token, and has its answer.
  func connect(_ token: String) -> SimulatedPeer {
    let peer = begin(token)
    _ = inner.world.run(within: .seconds(30)) { !peer.texts.isEmpty || peer.ending != nil || peer.refusal != nil }
    return peer
  }

  /// Returns a client that presents the token.
  func begin(_ token: String) -> SimulatedPeer {
    inner.dial(
      HTTPRequest(method: "GET", path: "/v1/connect", headers: [HTTPField("authorization", "Bearer \(token)")]))
  }

  /// Returns what becomes of a token at a login: 0, or the number of the error.
  func outcome(_ token: String) -> Int {
    let peer = connect(token)
    defer { peer.close() }
    return Self.outcome(peer)
  }

  static func outcome(_ peer: SimulatedPeer) -> Int {
    if case .refused(let status)? = peer.refusal { return status }
    let text = peer.texts.first ?? ""
    return text.contains(bytesOf: #""type":"connected""#) ? 0 : number(text)
  }

  /// Returns the first number of six digits in a message.
  static func number(_ text: String) -> Int {
    text.utf8.split { !(0x30...0x39).contains($0) }.first { $0.count == 6 }
      .flatMap { Int(String(Substring($0))) } ?? -1
  }

  func pass(_ seconds: Double) { inner.world.advance(by: .seconds(seconds)) }
}

/// An introspection endpoint in virtual time, which answers as badly as a test wants.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
final class VirtualIntrospection: Site, @unchecked Sendable {
  /// The members of the answers about active tokens, beside `active`.
  var tokens: [String: String] = ["tok-ann": #""sub":"ann""#]
  /// The answer in place of the usual one; nil for that.
  var answer: (() -> HTTPResponse)?
  var delay = Duration.zero
  private(set) var requests: [HTTPRequest] = []

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 404)) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    requests.append(request)
    if delay > .zero { await loop.sleep(until: loop.now + delay) }
    if let answer { return answer() }
    let form = String(decoding: request.body, as: UTF8.self).split(separator: "&").map { $0.split(separator: "=") }
    let token = form.first { $0[0] == "token" }.flatMap { PercentEncoding.decode($0[1]) } ?? ""
    let text = tokens[token].map { "{\"active\":true,\($0)}" } ?? #"{"active":false}"#
    return HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: Array(text.utf8))
  }
}
