import GatewayCore
import GatewayIdentity
import GatewayJSON
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTelemetry
import GatewayTokens
import TestSupport
import Testing

/// A server that keeps its requests and answers each after half a second.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
private final class Listener: Site, @unchecked Sendable {
  private(set) var requests: [HTTPRequest] = []
  let body: String

  init(_ body: String) { self.body = body }

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 404)) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    requests.append(request)
    await loop.sleep(until: loop.now + .milliseconds(500))
    return HTTPResponse(status: 200, headers: [HTTPField("content-type", "application/json")], body: Array(body.utf8))
  }
}

/// A span as the collector has it.
private struct Span {
  let trace: String
  let id: String
  let parent: String?
  let name: String
  let kind: Int64
  let start: Int64
  let end: Int64
  let link: String?

  init?(_ json: JSONView) {
    guard let trace = json["traceId"]?.string, let id = json["spanId"]?.string, let name = json["name"]?.string,
      let kind = json["kind"]?.integer, let start = json["startTimeUnixNano"]?.string.flatMap({ Int64($0) }),
      let end = json["endTimeUnixNano"]?.string.flatMap({ Int64($0) })
    else { return nil }
    (self.trace, self.id, self.name, self.kind, self.start, self.end) = (trace, id, name, kind, start, end)
    parent = json["parentSpanId"]?.string
    link = json["links"]?.elements?.first?["spanId"]?.string
  }
}

/// A whole gateway with hooks and traces, in virtual time.
@Suite(.timeLimit(.minutes(10)))
struct TracedGatewayTests {
  private static let secret = "the gateway's own secret, of more than thirty-two bytes"
  private static let bearer = "the bearer of the gateway"
  private static let signing = "whsec_plJ3nmyCDGBKInavdOK15jsl"

  private struct Scene {
    let inner: TestSpace<PlainVendor>
    let collector = Listener("{}")
    let backend = Listener(#"{"result":{}}"#)

    init() throws {
      let key = try VerificationKey(try KeyMaterial.secret(Array(TracedGatewayTests.secret.utf8)))
      let verifier = JWTVerifier(keys: try KeySet([key]))
      var hooks = HookSettings()
      hooks.connect = try EndpointAddress("https://app.example/connect")
      hooks.refresh = try EndpointAddress("https://app.example/refresh")
      hooks.secrets = HookSettings.Secrets(
        signing: HookSecret(TracedGatewayTests.signing), bearer: TracedGatewayTests.bearer)
      var space = SpaceSettings(
        configuration: GatewayConfiguration(session: try SessionPolicy()), vendors: [PlainSettings(verifier: verifier)],
        issuer: FakeTokens(), provider: try TokenProviderPolicy())
      space.hooks = hooks
      var telemetry = TelemetrySettings(
        to: try EndpointAddress("https://collector.example/v1/traces"),
        as: TraceResource(service: "postern", version: "1"))
      telemetry.share = 1
      space.telemetry = telemetry
      inner = try TestSpace(space, keepsTrace: false)
      for (host, site) in [("app.example", backend), ("collector.example", collector)] {
        inner.network.listen(on: DialTarget(host: host, port: 443), loops: [inner.clients], site: site)
      }
      let (dialers, whole) = (inner.world.loops.map { SimulatedDialer(inner.network, on: $0) }, inner.space)
      let hasBegun = inner.world.ask { () async -> Bool in
        (try? await whole.beginAsking(by: dialers, names: nil)) != nil
      }
      try #require(hasBegun == true)
    }

    func token(_ user: String, life: Int64 = 600) throws -> String {
      let now = inner.world.loops[0].eventLoop.wallTime.nanoseconds / 1_000_000_000
      let claims = "{\"user_id\":\"\(user)\",\"iat\":\(now),\"exp\":\(now + life)}"
      return try JWTSigner(try KeyMaterial.secret(Array(TracedGatewayTests.secret.utf8))).sign(Array(claims.utf8))
    }

    func dial(_ token: String, _ trace: String? = nil) -> SimulatedPeer {
      var headers = [HTTPField("authorization", "Bearer \(token)")]
      if let trace { headers.append(HTTPField("traceparent", trace)) }
      return inner.dial(HTTPRequest(method: "GET", path: "/v1/connect", headers: headers))
    }

    func pass(_ seconds: Double) { inner.world.advance(by: .seconds(seconds)) }

    /// All spans that the collector has got.
    func spans() throws -> [Span] {
      try collector.requests.flatMap { request -> [Span] in
        let root = try JSONDocument.parse(request.body).root
        var lists: [[JSONView]] = []
        for resource in root["resourceSpans"]?.elements ?? [] {
          if let spans = resource["scopeSpans"]?.elements?.first?["spans"]?.elements { lists.append(Array(spans)) }
        }
        return try lists.flatMap { try $0.map { try #require(Span($0)) } }
      }
    }
  }

  /// Returns what a client sends as the trace of the n-th user.
  private func trace(_ number: Int) -> (field: String, trace: String, parent: String) {
    let (trace, parent) = (Self.digits(0x5000 + number, 32), Self.digits(0x700 + number, 16))
    return ("00-\(trace)-\(parent)-01", trace, parent)
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: count - text.utf8.count) + text
  }

  @Test
  func `every span lies inside its parent, goes on with its caller's trace, and names no user and no secret`() throws {
    let scene = try Scene()
    var tokens: [String] = []
    var peers: [SimulatedPeer] = []
    for number in 0..<12 {
      let token = try scene.token("user-\(number)")
      tokens.append(token)
      peers.append(scene.dial(token, number % 2 == 0 ? trace(number).field : nil))
      scene.pass(0.3)
    }
    tokens.append(try scene.token("late", life: -100))
    _ = scene.dial(tokens[12], trace(90).field)
    scene.pass(5)
    #expect(peers.allSatisfy { $0.isOpen })
    for (number, peer) in peers.enumerated() {
      let token = try scene.token("user-\(number)", life: 900)
      tokens.append(token)
      peer.say("{\"type\":\"refresh\",\"token\":\"\(token)\"}")
      scene.pass(0.2)
    }
    let asked = HTTPRequest(
      method: "POST", path: "/v1/tokens", headers: [HTTPField("traceparent", trace(91).field)],
      body: Array(#"{"user_id":"user-91"}"#.utf8))
    _ = scene.inner.fetch(asked)
    scene.pass(10)

    let spans = try scene.spans()
    func named(_ name: String) -> [Span] { spans.filter { $0.name == name } }
    #expect(named("connect").count == 13 && named("refresh").count == 12)
    #expect(named("hook connect").count == 12 && named("hook refresh").count == 12)
    #expect(Set(spans.map(\.id)).count == spans.count)

    // Parents, and times inside theirs.
    let sent = [0, 2, 4, 6, 8, 10, 90, 91].map { trace($0) }
    for span in spans {
      #expect(span.start <= span.end)
      guard let id = span.parent else {
        #expect(["connect", "refresh"].contains(span.name), "\(span.name) has no parent")
        continue
      }
      if let parent = spans.first(where: { $0.id == id }) {
        #expect(parent.trace == span.trace)
        #expect(parent.start <= span.start && span.end <= parent.end, "\(span.name) is outside \(parent.name)")
        #expect(["verify", "hook connect", "hook refresh"].contains(span.name), "\(span.name) below \(parent.name)")
      } else {
        #expect(sent.contains { $0.parent == id && $0.trace == span.trace }, "\(span.name) has a parent of nobody's")
      }
    }
    #expect(Set(spans.filter { span in sent.contains { $0.trace == span.trace } }.map(\.trace)).count == sent.count)
    let connects = Set(named("connect").map(\.id))
    #expect(named("refresh").allSatisfy { $0.link.map(connects.contains) == true && $0.parent == nil })
    // A question takes the half second of its server, and so does the operation that waits for it.
    #expect(named("hook connect").allSatisfy { $0.end - $0.start >= 500_000_000 })

    // The backend goes on with the trace: its parent is the span of the question.
    let questions = scene.backend.requests.compactMap {
      $0.header("traceparent")?.split(separator: "-").map(String.init)
    }
    #expect(questions.count == 24)
    for parts in questions {
      let span = try #require(spans.first { $0.id == parts[2] })
      #expect(span.trace == parts[1] && span.name.hasPrefix("hook ") && span.kind == 3)
    }

    // Nothing that identifies anybody.
    for request in scene.collector.requests {
      let text = String(decoding: request.body, as: UTF8.self)
      for secret in tokens + [Self.secret, Self.bearer, Self.signing, "user-"] {
        #expect(!text.contains(secret))
      }
      #expect(!text.contains("eyJ"))
    }
  }

  @Test
  func `the collector's name in the metrics is none that an issuer may have`() {
    let letters = "abcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    #expect(!TelemetrySettings.name.utf8.allSatisfy { letters.contains($0) })
  }
}
