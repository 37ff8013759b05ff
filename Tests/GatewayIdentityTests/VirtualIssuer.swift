import GatewayCore
import GatewayRuntime
import GatewayTokens

/// An issuer in virtual time: it publishes keys, signs with them, and answers as badly as a test wants.
///
/// `@unchecked Sendable`: touched only by the thread that runs the world.
final class VirtualIssuer: Site, @unchecked Sendable {
  static let name = "https://login.example"
  static let keysPath = "/keys"
  static let target = DialTarget(host: "login.example", port: 443)

  /// The keys that it publishes and signs with, by their names.
  private(set) var pairs: [String: P256KeyPair] = [:]
  var published: [String] = []
  var headers: [HTTPField] = []
  /// The answer in place of the keys; nil for the keys.
  var answer: ((HTTPRequest) -> HTTPResponse)?
  var delay = Duration.zero
  private(set) var requests: [(path: String, at: Instant)] = []

  init(_ names: [String] = ["k1"]) {
    for name in names { add(name) }
  }

  /// Makes a key and publishes it.
  func add(_ name: String) {
    pairs[name] = .generate()
    published.append(name)
  }

  var keySet: [UInt8] { Self.keySet(published.map { Self.jwk(pairs[$0]!, $0) }) }

  static func keySet(_ keys: [String]) -> [UInt8] { Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8) }

  static func jwk(_ pair: P256KeyPair, _ name: String?) -> String {
    let bare = String(decoding: pair.publicKey.jwk, as: UTF8.self)
    return name.map { "{\"kid\":\"\($0)\"," + bare.dropFirst() } ?? bare
  }

  /// Returns a token of the user ann by the key of that name.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - kid: The name of the key in the token, if it is another.
  ///   - isNamed: Whether the token names its key.
  ///   - issuer: Its `iss`; nil for none.
  ///   - life: The seconds to its `exp`, from a time in the past; nil for none.
  ///   - more: More claims, each with a comma in front.
  func token(
    _ key: String, named kid: String? = nil, isNamed: Bool = true, issuer: String? = name, life: Int? = 100_000_000,
    more: String = ""
  ) throws -> String {
    var material = try KeyMaterial.jwks(pairs[key]!.jwk)[0]
    material.id = isNamed ? kid ?? key : nil
    let issuer = issuer.map { ",\"iss\":\"\($0)\"" } ?? ""
    let end = life.map { ",\"exp\":\(1_790_000_000 + $0)" } ?? ""
    return try JWTSigner(material).sign(Array("{\"user_id\":\"ann\",\"aud\":\"realtime\"\(issuer)\(end)\(more)}".utf8))
  }

  /// Signs any claims by the key of that name.
  func sign(_ claims: String, by key: String, isNamed: Bool = true, type: String?) throws -> String {
    var material = try KeyMaterial.jwks(pairs[key]!.jwk)[0]
    material.id = isNamed ? key : nil
    return try JWTSigner(material, type: type).sign(Array(claims.utf8))
  }

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { .refuse(HTTPResponse(status: 404)) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse {
    requests.append((request.path, loop.now))
    if delay > .zero { await loop.sleep(until: loop.now + delay) }
    if let answer { return answer(request) }
    guard request.path == Self.keysPath else { return HTTPResponse(status: 404) }
    let tag = "\"\(published.joined(separator: "-"))\""
    if request.header("if-none-match") == tag { return HTTPResponse(status: 304, headers: headers) }
    return HTTPResponse(status: 200, headers: headers + [HTTPField("etag", tag)], body: keySet)
  }
}
