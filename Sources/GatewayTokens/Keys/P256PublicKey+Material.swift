internal import COpenSSL

extension KeyMaterial {
  /// Whether it is a key on P-256.
  package var isOnP256: Bool {
    guard case .asymmetric(let key) = content else { return false }
    return key.kind == .p256
  }
}

extension P256PublicKey {
  /// Reads the public half of a key on P-256. Throws for any other key.
  package init(of material: KeyMaterial) throws(KeyError) {
    guard case .asymmetric(let key) = material.content, key.kind == .p256 else {
      throw .unsupported("a key that is none on P-256")
    }
    var point = [UInt8](repeating: 0, count: 65)
    var length = 0
    guard
      EVP_PKEY_get_octet_string_param(key.pointer, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &length) == 1,
      length == 65, point[0] == 4
    else {
      ERR_clear_error()
      throw .unsupported("a P-256 key whose point OpenSSL does not give uncompressed")
    }
    self.init(x: Array(point[1...32]), y: Array(point[33...64]))
  }

  /// Returns the key as a JWK with that name, for published key sets.
  package func jwk(named name: String) -> [UInt8] { jwk(secret: nil, keyID: name) }
}
