internal import COpenSSL

/// A private key on P-256 as a JSON Web Key (RFC 7517, RFC 7518 section 6.2), e.g. to give to a customer for signing tokens.
package struct P256KeyPair: Sendable {
  package let publicKey: P256PublicKey
  /// The private scalar, 32 bytes.
  private let secret: [UInt8]

  /// Generates a new pair with OpenSSL's generator.
  package static func generate() -> P256KeyPair {
    guard let key = makeKey() else { preconditionFailure("OpenSSL makes no P-256 key") }
    defer { EVP_PKEY_free(key) }
    var point = [UInt8](repeating: 0, count: 65)
    var length = 0
    var scalar: OpaquePointer?
    guard
      EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &length) == 1,
      length == 65, point[0] == 4, EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) == 1, let scalar
    else { preconditionFailure("OpenSSL keeps its P-256 key to itself") }
    defer { BN_clear_free(scalar) }
    let secret = [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      guard BN_bn2binpad(scalar, buffer.baseAddress, 32) == 32 else { preconditionFailure("a scalar of 32 bytes") }
      initialized = 32
    }
    return P256KeyPair(
      publicKey: P256PublicKey(x: Array(point[1...32]), y: Array(point[33...64])), secret: secret)
  }

  private static func makeKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
      EVP_PKEY_generate(context, &key) == 1
    else { return nil }
    return key
  }

  /// The private key as a JWK for ES256 signatures, without `kid`. A secret.
  package var jwk: [UInt8] { publicKey.jwk(secret: secret) }
}
