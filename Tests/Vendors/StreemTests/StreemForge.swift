import GatewayCore
import GatewayTokens
import TestSupport

@testable import GatewayStreem

/// An API key with its private half, and Streem Tokens of any form signed with it.
struct StreemForge: Sendable {
  let id: Name
  let publicKey: P256PublicKey
  /// The secret in its owner's form.
  let secret: String
  /// Name and password for HTTP Basic.
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

  /// Returns the claims of a valid token of `user` at `now`, as JSON texts by name.
  func claims(
    _ user: String = "ann", at now: WallTime, sessionLife: Int64 = 14_400
  ) -> [String: String] {
    let seconds = Int64(now.seconds)
    return [
      "iss": "\"streem:api:\(id)\"", "sub": "\"\(user)\"", "aud": #""https://api.prod-us.streem.cloud/""#,
      "iat": "\(seconds)", "exp": "\(seconds + 300)", "session_exp": "\(seconds + sessionLife)",
    ]
  }

  /// Returns a valid token of `user` in which some claims are changed; nil removes one.
  func token(
    _ user: String = "ann", at now: WallTime, sessionLife: Int64 = 14_400, header: String = #"{"alg":"ES256"}"#,
    _ changes: [String: String?] = [:]
  ) -> Credentials {
    var claims = claims(user, at: now, sessionLife: sessionLife)
    for (name, value) in changes { claims[name] = value }
    let members = claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return sign(header: header, payload: "{\(members.joined(separator: ","))}")
  }

  /// Returns a token of these two texts, whatever they contain.
  func sign(header: String, payload: String) -> Credentials {
    let input = Self.encode(header) + "." + Self.encode(payload)
    return Credentials(token: input + "." + Base64URL.encode(signer.signature(of: Array(input.utf8))))
  }

  static func encode(_ text: String) -> String {
    Base64URL.encode(Array(text.utf8))
  }
}
