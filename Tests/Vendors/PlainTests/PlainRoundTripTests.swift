import GatewayCore
import GatewayKit
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayPlain

struct PlainRoundTripTests {
  private let server = PlainDialect()
  private let client = PlainClientDialect()

  @Test(
    arguments: [
      (.connect(Credentials(token: "a.b-c_d")), .credentials(Credentials(token: "a.b-c_d"), request: nil)),
      (.refresh(Credentials(token: #"quo"te\é"#)), .credentials(Credentials(token: #"quo"te\é"#), request: nil)),
      (.ping, .ping(request: nil)),
    ] as [(ClientMessage, InboundMessage)])
  func `both sides of the plain dialect agree on the client's messages`(said: ClientMessage, heard: InboundMessage)
    throws
  {
    let frame = client.encode(said)
    #expect(try frame.payload.withUnsafeBytes { try server.decode($0, frame.kind) } == heard)
  }

  @Test(arguments: RefreshCause.allCases)
  func `refresh requests are the same text for every client, as the dialect declares`(cause: RefreshCause) {
    #expect(server.asksAllAlike)
    let ask = OutboundMessage.refreshRequired(cause, timeout: .milliseconds(59_999))
    let one = DialectContext(connection: ConnectionID(loop: 0, serial: 0), isLoggedIn: true, now: WallTime(seconds: 0))
    let other = DialectContext(
      connection: ConnectionID(loop: 3, serial: 9), isLoggedIn: true, isAuthenticating: true, expiresIn: .seconds(-5),
      isRevoked: true, now: WallTime(seconds: 1e9))
    #expect(server.encode(ask, one) == server.encode(ask, other) && server.prelude(to: ask, other) == nil)
    let within = OutboundMessage.refreshRequired(cause, timeout: .milliseconds(59_999) + .nanoseconds(999_999))
    #expect(server.encode(within, one) == server.encode(ask, one))
  }

  @Test
  func `a storm knows a plain token's own expiry and counts overdue.* from it, and invents none for other tokens`()
    throws
  {
    let end = WallTime(seconds: 1_795_579_919.25)
    let signer = try JWTSigner(.secret(Array("a secret of the tests, long enough for this".utf8)))
    let token = PlainTokenIssuer(signer: signer).mint(
      user: UserID("ann"), kind: .regular, issuedAt: WallTime(seconds: 1_795_579_900), expiresAt: end, calls: nil)
    let told = try #require(client.end(of: token))
    #expect(abs((told - end).inSeconds) < 1e-6)
    for other in ["", "opaque", "a.b.c", "e30.e30.e30", "e30.eyJleHAiOjFlMzAwfQ.x", "e30.eyJleHAiOi0xfQ.x"] {
      #expect(client.end(of: Credentials(token: other)) == nil)
    }
  }

  @Test
  func `both sides of the plain dialect agree that garbage is garbage`() {
    let frame = client.encode(.garbage)
    #expect(frame.kind == .text)
    let error = #expect(throws: GatewayError.self) {
      try frame.payload.withUnsafeBytes { try server.decode($0, frame.kind) }
    }
    #expect(error?.isSame(as: .malformedMessage) == true)
  }

  @Test(
    arguments: [
      (
        .connected(ConnectionID(loop: 3, serial: 9), user: UserID("ann"), kind: .guest, expiresIn: nil, request: nil),
        .connected(ConnectionID(loop: 3, serial: 9))
      ),
      (.refreshRequired(.expiry, timeout: .seconds(60)), .refreshRequired(timeout: .seconds(60))),
      (.refreshRequired(.revocation, timeout: .zero), .refreshRequired(timeout: .zero)),
      (.refreshed(expiresIn: .seconds(1), request: RequestID("1")), .refreshed),
      (
        .error(.connectionRequired, request: RequestID("\"")),
        .error(number: 800_101, name: "connection_required")
      ),
      (.closing(.serviceRestart, delay: .milliseconds(1)), .closing(name: "service_restart")),
      (.pong(request: nil), nil),
    ] as [(OutboundMessage, ServerNotice?)])
  func `both sides of the plain dialect agree on the gateway's messages`(said: OutboundMessage, heard: ServerNotice?)
    throws
  {
    let frame = try #require(server.encode(said))
    #expect(frame.kind == .text)
    #expect(frame.payload.withUnsafeBytes { client.decode($0, frame.kind) } == heard)
  }

  @Test
  func `both sides of the plain dialect agree that a client that refreshes has no use for messages about calls`() throws
  {
    let call = try #require(CallID(cid: "a:b"))
    let event = CallEvent(call: call, user: UserID("ann"), kind: .message(content: "1"))
    for frame in [server.answer(to: .join(call), request: nil), server.encode(event)] {
      let frame = try #require(frame)
      #expect(frame.kind == .text && frame.payload.withUnsafeBytes { client.decode($0, frame.kind) } == nil)
    }
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"type":1}"#, #"{"type":"refresh_required"}"#, #"{"type":"refresh_required","timeout_ms":-1}"#,
    #"{"type":"refresh_required","timeout_ms":1e300}"#, #"{"type":"error","error":7}"#, #"{"type":"error"}"#,
    #"{"type":"error","error":{"number":1.5,"name":"x"}}"#, #"{"type":"closing","reason":{}}"#,
    #"{"type":"closing"}"#,
  ])
  func `a client of the plain dialect survives nonsense of the gateway`(text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { client.decode($0, .text) } == nil)
  }

  @Test
  func `neither side of the plain dialect understands binary frames`() {
    #expect(Array(#"{"type":"refreshed"}"#.utf8).withUnsafeBytes { client.decode($0, .binary) } == nil)
  }
}
