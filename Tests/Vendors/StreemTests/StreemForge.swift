import GatewayCore
import GatewayStreem
import GatewayTokens
import TestSupport

/// An API key with its private half, and Streem Tokens of any shape signed with it.
struct StreemForge: Sendable {
  let id: Name
  let publicKey: P256PublicKey
  /// The secret as its owner has it.
  let secret: String
  /// Name and password of HTTP Basic.
  var basic: String { "\(id):\(secret)" }
  private let signer: JWTSigner

  init(id: Name = "api_0123456789abcdefghijkl") throws {
    self.id = id
    let (key, secret, _) = StreemSecret.make()
    publicKey = key
    self.secret = secret
    let material = try KeyMaterial.jwks(try StreemSecret.jwk(secret))
    signer = try JWTSigner(material[0], algorithm: .es256, type: nil)
  }

  /// The claims of a good token of `user` at `now`, as JSON text by name.
  func claims(
    _ user: String = "ann", at now: WallTime, sessionLife: Int64 = 14_400
  ) -> [String: String] {
    let seconds = Int64(now.seconds)
    return [
      "iss": "\"streem:api:\(id)\"", "sub": "\"\(user)\"", "aud": #""https://api.prod-us.streem.cloud/""#,
      "iat": "\(seconds)", "exp": "\(seconds + 300)", "session_exp": "\(seconds + sessionLife)",
    ]
  }

  /// A good token of `user`, with other claims in place of some; nil leaves one out.
  func token(
    _ user: String = "ann", at now: WallTime, sessionLife: Int64 = 14_400, header: String = #"{"alg":"ES256"}"#,
    _ changes: [String: String?] = [:]
  ) -> Credentials {
    var claims = claims(user, at: now, sessionLife: sessionLife)
    for (name, value) in changes { claims[name] = value }
    let members = claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return sign(header: header, payload: "{\(members.joined(separator: ","))}")
  }

  /// The token of these two texts, whatever they are.
  func sign(header: String, payload: String) -> Credentials {
    let input = Self.encode(header) + "." + Self.encode(payload)
    return Credentials(token: input + "." + Base64URL.encode(signer.signature(of: Array(input.utf8))))
  }

  static func encode(_ text: String) -> String {
    Base64URL.encode(Array(text.utf8))
  }
}
