internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// An API key with its secret, of which only the public half and a hash are stored.
struct StreemSecret: Sendable {
  let publicKey: P256PublicKey
  /// The SHA-256 of the decoded secret, for HTTP Basic; nil if only a public key was given.
  let hash: [UInt8]?

  /// Reads a secret in base64 of either alphabet, padded or not, or a JWK as JSON. Throws an error about the key.
  init(_ text: String) throws(KeyError) {
    let jwk = try Self.jwk(text)
    publicKey = try P256PublicKey(jwk: jwk)
    let isPrivate = (try? JSONDocument.parse(jwk).root["d"]) != nil
    hash = isPrivate ? SHA256.digest(jwk) : nil
  }

  /// Returns the secret's private JSON Web Key.
  static func jwk(_ text: String) throws(KeyError) -> [UInt8] {
    let plain = text.drop { $0.isWhitespace }
    if plain.first == "{" { return Array(text.utf8) }
    guard let jwk = Base64.decode(plain.filter { !$0.isWhitespace }) else {
      throw .notJWKSet("neither base64 nor a JSON object")
    }
    return jwk
  }

  /// Creates a key. Its secret is returned only here, in the one form that all of the vendor's builders read.
  static func make() -> (key: P256PublicKey, secret: String, hash: [UInt8]) {
    let pair = P256KeyPair.generate()
    let jwk = pair.jwk
    return (pair.publicKey, Base64.encodeUnpadded(jwk), SHA256.digest(jwk))
  }

  /// Returns the hash of a presented secret in any form of base64; nil for other text.
  static func hash(presented text: some StringProtocol) -> [UInt8]? {
    Base64.decode(String(text)).map { SHA256.digest($0) }
  }
}
