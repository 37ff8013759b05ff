import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayIdentity

/// A gateway in virtual time that asks a ``VirtualBackend`` about its users.
struct HookSpace {
  let inner: TestSpace<PlainVendor>
  let backend: VirtualBackend
  let logs = LogKeeper()

  static let secret = "whsec_plJ3nmyCDGBKInavdOK15jsl"
  static let bearer = "the bearer of the gateway"

  /// - Parameters:
  ///   - hooks: The questions that are asked.
  ///   - takesFaults: Whether the gateway accepts orders to fail; it then has one loop and a journal.
  ///   - others: The vendors that the gateway plays too.
  ///   - change: Changes the settings.
  init(
    _ hooks: Set<Hook>, _ backend: VirtualBackend = VirtualBackend(), takesFaults: Bool = false,
    others: [any VendorSettings] = [], _ change: (inout HookSettings) -> Void = { _ in }
  ) throws {
    self.backend = backend
    let own = JWTVerifier(
      keys: try KeySet([try VerificationKey(try KeyMaterial.secret(Array(IdentitySpace.secret.utf8)))]))
    var settings = HookSettings()
    if hooks.contains(.connect) { settings.connect = try EndpointAddress("https://app.example/rt/connect?v=2") }
    if hooks.contains(.refresh) { settings.refresh = try EndpointAddress("https://app.example/rt/refresh") }
    if hooks.contains(.commands) { settings.commands = try EndpointAddress("https://app.example/rt/subscribe") }
    settings.secrets = HookSettings.Secrets(signing: HookSecret(Self.secret), bearer: Self.bearer)
    settings.headers = ["cookie", "x-request-id"]
    change(&settings)
    var configuration = GatewayConfiguration(session: try SessionPolicy())
    configuration.log = logs.log
    var space = SpaceSettings(
      configuration: configuration, vendors: [PlainSettings(verifier: own)] + others, issuer: FakeTokens(),
      provider: try TokenProviderPolicy())
    space.hooks = settings
    space.takesFaults = takesFaults
    inner = try TestSpace(space, loops: takesFaults ? 1 : 2, keepsTrace: false)
    inner.network.listen(on: DialTarget(host: "app.example", port: 443), loops: [inner.clients], site: backend)
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

  /// Returns a token of the user that ends `life` seconds from now.
  func token(_ user: String = "ann", life: Double = 600) throws -> String {
    let now = inner.world.loops[0].eventLoop.wallTime.seconds
    let claims = "{\"user_id\":\"\(user)\",\"iat\":\(Int(now)),\"exp\":\(Int(now + life)),\"jti\":\"7f\"}"
    return try JWTSigner(try KeyMaterial.secret(Array(IdentitySpace.secret.utf8))).sign(Array(claims.utf8))
  }

  /// Returns a client that presents the token; nil for none.
  func begin(_ token: String?, _ fields: [HTTPField] = []) -> SimulatedPeer {
    let bearer = token.map { [HTTPField("authorization", "Bearer \($0)")] } ?? []
    return inner.dial(HTTPRequest(method: "GET", path: "/v1/connect", headers: bearer + fields))
  }

  /// Returns a client that has presented the token, and has its answer.
  func connect(_ token: String?, _ fields: [HTTPField] = []) -> SimulatedPeer {
    let peer = begin(token, fields)
    _ = inner.world.run(within: .seconds(30)) { !peer.texts.isEmpty || peer.ending != nil || peer.refusal != nil }
    return peer
  }

  /// Returns the answer to a client's message.
  func ask(_ peer: SimulatedPeer, _ message: String) -> String {
    let count = peer.texts.count
    peer.say(message)
    _ = inner.world.run(within: .seconds(30)) { peer.texts.count > count || peer.ending != nil }
    return peer.texts.count > count ? peer.texts[count] : ""
  }

  /// Returns the answer to a refresh of the client with another token.
  func refresh(_ peer: SimulatedPeer, _ user: String = "ann", life: Double = 600) throws -> String {
    pass(1)
    return ask(peer, "{\"type\":\"refresh\",\"token\":\"\(try token(user, life: life))\"}")
  }

  func pass(_ seconds: Double) { inner.world.advance(by: .seconds(seconds)) }

  /// The results that the metric of answers has counted, each as often as it was counted.
  var results: [String] {
    var page = PrometheusText()
    inner.space.hooks?.counts.write(to: &page)
    return page.text.split(separator: "\n").flatMap { line -> [String] in
      let parts = line.split(separator: "\"")
      guard line.hasPrefix("postern_hook_answers_total{"), parts.count == 5, let count = Int(parts[4].dropFirst(2))
      else { return [] }
      return Array(repeating: String(parts[3]), count: count)
    }
  }

  var onGrace: Int { inner.space.hooks?.counts.onGrace ?? -1 }
}

extension String {
  /// Whether the text has these bytes.
  func has(_ text: String) -> Bool { contains(bytesOf: text) }
}

/// The application's backend in virtual time, which answers as badly as a test wants.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
final class VirtualBackend: Site, @unchecked Sendable {
  /// The answers, by the last part of the path.
  var answers: [String: () -> HTTPResponse] = [:]
  var delay = Duration.zero
  private(set) var requests: [HTTPRequest] = []
  private(set) var times: [Instant] = []

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 404)) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    requests.append(request)
    times.append(loop.now)
    if delay > .zero { await loop.sleep(until: loop.now + delay) }
    for (name, answer) in answers where request.path.hasSuffix(name) { return answer() }
    return Self.json(#"{"result":{}}"#)
  }

  /// Has all questions, or those with that path, answered so.
  func say(_ text: String, to path: String = "") { answers[path] = { Self.json(text) } }

  func say(_ status: Int, to path: String = "") { answers[path] = { HTTPResponse(status: status) } }

  /// The body of the newest question.
  var body: String { requests.last.map { String(decoding: $0.body, as: UTF8.self) } ?? "" }

  static func json(_ text: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: Array(text.utf8))
  }
}
