import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport

@testable import GatewayStream

/// A gateway that plays Stream in virtual time, with one application: the key `key`, and a secret of its own.
struct SimulatedStream {
  static let key = "key"
  static let secret = "a short one"

  let space: TestSpace<StreamVendor>
  private let issuer: StreamTokenIssuer
  private let signer: JWTSigner

  /// Creates the gateway.
  ///
  /// - Parameters:
  ///   - session: The gateway's times.
  ///   - isSecure: Whether its URLs say that clients use TLS.
  ///   - takesFaults: Whether it accepts orders to fail.
  ///   - adjust: Changes the settings from their defaults.
  init(
    session: SessionPolicy = try! SessionPolicy(), isSecure: Bool = false, takesFaults: Bool = false,
    _ adjust: (inout StreamVideoSettings) -> Void = { _ in }
  ) throws {
    let application = try StreamApplication(secret: Self.secret)
    signer = application.signer
    issuer = StreamTokenIssuer(signer: signer)
    var settings = StreamVideoSettings(applications: StreamApplications([Name(Self.key): application]))
    adjust(&settings)
    space = try TestSpace(
      settings, GatewayConfiguration(session: session), loops: takesFaults ? 1 : 2, isSecure: isSecure,
      takesFaults: takesFaults)
  }

  var world: SimulatedWorld { space.world }
  var gateway: Gateway { space.gateway }
  var directory: StreamDirectory { space.vendor.directory }

  // MARK: Tokens

  /// Returns a token of the user, issued now, that lives for `life`; without an end if nil.
  func token(_ user: String = "ann", life: Duration? = .seconds(3600), calls: [String]? = nil) -> String {
    let now = world.wallTime
    return issuer.mint(
      user: UserID(user), kind: .regular, issuedAt: now, expiresAt: life.map { now + $0 },
      calls: calls?.map { CallID(cid: $0)! }
    ).token
  }

  /// Returns a signed token with these claims.
  func token(claims: String) -> String { signer.sign(Array(claims.utf8)) }

  var serverToken: String { token(claims: "{}") }

  // MARK: Clients

  /// Returns a client that has opened a socket.
  func open(
    _ kind: StreamDialect.Kind, query: [HTTPField] = [], headers: [HTTPField] = [], key: String? = SimulatedStream.key
  ) -> SimulatedPeer {
    let fields = key.map { [HTTPField("api_key", $0)] } ?? []
    return space.dial(HTTPRequest(method: "GET", path: kind.path, query: fields + query, headers: headers))
  }

  /// Returns a client that has opened a socket and logged in.
  func connect(
    _ token: String, as user: String = "ann", on kind: StreamDialect.Kind = .video
  ) -> SimulatedPeer {
    if kind == .chat {
      return open(
        .chat,
        query: [
          HTTPField("authorization", token), HTTPField("stream-auth-type", "jwt"),
          HTTPField("json", #"{"user_id":"\#(user)","user_details":{"id":"\#(user)"}}"#),
        ])
    }
    let peer = open(kind, query: [HTTPField("stream-auth-type", "jwt")])
    peer.say(#"{"token":"\#(token)","user_details":{"id":"\#(user)"}}"#)
    world.settle()
    return peer
  }

  /// Returns the answer to a REST request with that token; anonymous without one.
  func fetch(
    _ method: String, _ path: String, token: String? = nil, query: [HTTPField] = [], body: String = "",
    headers: [HTTPField]? = nil, key: String? = SimulatedStream.key
  ) -> HTTPResponse? {
    let sender =
      headers
      ?? (token.map { [HTTPField("authorization", $0), HTTPField("stream-auth-type", "jwt")] }
        ?? [HTTPField("stream-auth-type", "anonymous")])
    let fields = key.map { [HTTPField("api_key", $0)] } ?? []
    let request = HTTPRequest(
      method: method, path: path, query: fields + query, headers: sender, body: Array(body.utf8))
    return try? space.fetch(request)?.get()
  }

  /// Sends an event to the user's sessions. Returns the number of these.
  func control(_ user: String, _ event: SessionEvent) -> Int? {
    space.order { try? await $0.control(UserID(user), event) }.flatMap { $0 }
  }
}
