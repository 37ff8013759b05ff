internal import COpenSSL
internal import GatewayCore
internal import GatewayJSON

/// A new RSA key pair for RS256 signatures (RFC 7518 section 3.3), e.g. to simulate an identity provider with a JWK set.
package struct RSAKeyPair: Sendable {
  /// The pair, bound to RS256, with its thumbprint as its name. A secret.
  package let material: KeyMaterial
  /// The public key as a JWK (RFC 7518 section 6.3.1) whose `kid` is its thumbprint.
  package let namedJWK: [UInt8]

  private static let bits: Int32 = 2048

  /// Generates a new pair of 2048 bits with OpenSSL's generator; takes about 0.1 s.
  package static func generate() -> RSAKeyPair {
    guard let key = makeKey(), let pair = RSAKeyPair(taking: key) else {
      preconditionFailure("OpenSSL makes no RSA key")
    }
    return pair
  }

  /// Reads a private key that ``pem`` gave. Throws for another.
  package init(pem: [UInt8]) throws(KeyError) {
    let key = try PEMKey.readPrivate(pem)
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else {
      EVP_PKEY_free(key)
      throw .notPrivate
    }
    guard let pair = RSAKeyPair(taking: key) else { throw .notPrivate }
    self = pair
  }

  /// Takes ownership of `key`. Returns nil if it is no usable RSA key.
  private init?(taking key: OpaquePointer) {
    guard let modulus = Self.number("n", of: key), let exponent = Self.number("e", of: key),
      let pair = try? AsymmetricKey(taking: key)
    else { return nil }
    let (n, e) = (Base64URL.encode(modulus), Base64URL.encode(exponent))
    let thumbprint = Self.thumbprint(n: n, e: e)
    var material = KeyMaterial(content: .asymmetric(pair))
    material.id = thumbprint
    material.algorithms = AlgorithmSet([.rs256])
    var json = JSONWriter()
    json.beginObject()
    json.member("kty", "RSA")
    json.member("use", "sig")
    json.member("alg", "RS256")
    json.member("kid", thumbprint)
    json.member("n", n)
    json.member("e", e)
    json.endObject()
    self.init(material: material, namedJWK: json.bytes)
  }

  private init(material: KeyMaterial, namedJWK: [UInt8]) {
    self.material = material
    self.namedJWK = namedJWK
  }

  /// The private key in PEM text (PKCS #8). A secret.
  package var pem: [UInt8] {
    guard case .asymmetric(let key) = material.content, let text = PEMKey.writePrivate(key) else {
      preconditionFailure("OpenSSL writes its RSA key")
    }
    return text
  }

  /// Returns the SHA-256 thumbprint (RFC 7638 section 3): the hash of the required members in the order of their names.
  private static func thumbprint(n: String, e: String) -> String {
    var json = JSONWriter()
    json.beginObject()
    json.member("e", e)
    json.member("kty", "RSA")
    json.member("n", n)
    json.endObject()
    return Base64URL.encode(SHA256.digest(json.bytes))
  }

  private static func makeKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1,
      EVP_PKEY_generate(context, &key) == 1
    else { return nil }
    return key
  }

  /// Returns one of the key's numbers, big-endian without leading zeros, by OpenSSL's name for it (EVP_PKEY-RSA(7)).
  private static func number(_ name: String, of key: OpaquePointer) -> [UInt8]? {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return nil }
    defer { BN_clear_free(number) }
    let size = (BN_num_bits(number) + 7) / 8
    var bytes = [UInt8](repeating: 0, count: Int(size))
    guard BN_bn2binpad(number, &bytes, size) == size else { return nil }
    return bytes
  }
}
