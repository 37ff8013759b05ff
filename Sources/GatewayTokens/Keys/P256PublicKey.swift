internal import GatewayCore
internal import GatewayJSON

/// A public key on P-256 as its point, e.g. to verify a customer's ES256 tokens.
package struct P256PublicKey: Hashable, Sendable {
  /// The coordinates, 32 bytes each.
  private let x: [UInt8]
  private let y: [UInt8]

  init(x: [UInt8], y: [UInt8]) {
    self.x = x
    self.y = y
  }

  /// Reads the public half of a JWK on P-256, private or public. Throws unless the key may be used for ES256 and its point is
  /// on the curve. A private half, if present, must match.
  package init(jwk text: [UInt8]) throws(KeyError) {
    let root: JSONView
    do throws(JSONError) {
      root = try JSONDocument.parse(text).root
    } catch {
      throw .notJWKSet(error.description)
    }
    func fail(_ reason: String) -> KeyError { .jwk(index: 0, reason: reason) }
    guard root["kty"]?.string == "EC", root["crv"]?.string == "P-256" else { throw fail("not an EC key on P-256") }
    if let use = root["use"]?.string, use != "sig" { throw fail("its use is not sig") }
    if let algorithm = root["alg"]?.string, algorithm != "ES256" { throw fail("its alg is not ES256") }
    guard let x = root["x"]?.string.flatMap({ Base64URL.decode($0) }),
      let y = root["y"]?.string.flatMap({ Base64URL.decode($0) })
    else { throw fail("x and y must be base64url text") }
    // Reads the numbers again, and finds a point off the curve or halves of different pairs.
    _ = try KeySet(jwks: text)
    self.init(x: x, y: y)
  }

  /// The key as a JWK for ES256 signatures, without `kid`.
  package var jwk: [UInt8] { jwk(secret: nil) }

  /// The key as a JWK whose `kid` is its thumbprint, for published key sets.
  package var namedJWK: [UInt8] { jwk(secret: nil, keyID: thumbprint) }

  func jwk(secret: [UInt8]?, keyID: String? = nil) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("kty", "EC")
    json.member("crv", "P-256")
    json.member("use", "sig")
    json.member("alg", "ES256")
    if let keyID { json.member("kid", keyID) }
    json.member("x", Base64URL.encode(x))
    json.member("y", Base64URL.encode(y))
    if let secret { json.member("d", Base64URL.encode(secret)) }
    json.endObject()
    return json.bytes
  }

  /// The SHA-256 thumbprint (RFC 7638 section 3): the hash of the required members in the order of their names.
  package var thumbprint: String {
    var json = JSONWriter()
    json.beginObject()
    json.member("crv", "P-256")
    json.member("kty", "EC")
    json.member("x", Base64URL.encode(x))
    json.member("y", Base64URL.encode(y))
    json.endObject()
    return Base64URL.encode(SHA256.digest(json.bytes))
  }

  /// The key, ready to verify ES256 signatures.
  package var keySet: KeySet {
    get throws(KeyError) { try KeySet(jwks: jwk) }
  }
}
