internal import COpenSSL

/// A builder of OpenSSL keys from numbers, e.g. of an RSA key from the `n` and `e` of a JWK.
enum KeyBuilder {
  /// Returns the key of `type` with these big-endian numbers, and for a curve its name and public point. `index` is for errors.
  static func build(
    type: String, isPrivate: Bool, numbers: [(name: StaticString, value: [UInt8])], group: String? = nil,
    point: [UInt8]? = nil, index: Int
  ) throws(KeyError) -> AsymmetricKey {
    let wrong = KeyError.jwk(index: index, reason: "its numbers make no \(type) key")
    guard let builder = OSSL_PARAM_BLD_new() else { throw wrong }
    defer { OSSL_PARAM_BLD_free(builder) }
    // The builder keeps pointers to its arguments, names included, until it is done, so the names are static.
    var bignums: [OpaquePointer] = []
    defer { bignums.forEach { BN_clear_free($0) } }
    for number in numbers {
      guard let bignum = BN_bin2bn(number.value, Int32(number.value.count), nil) else { throw wrong }
      bignums.append(bignum)
      guard OSSL_PARAM_BLD_push_BN(builder, cString(number.name), bignum) == 1 else { throw wrong }
    }

    let key = (group ?? "").withCString { name -> OpaquePointer? in
      (point ?? []).withUnsafeBytes { point -> OpaquePointer? in
        if group != nil {
          guard OSSL_PARAM_BLD_push_utf8_string(builder, cString("group"), name, 0) == 1,
            OSSL_PARAM_BLD_push_octet_string(builder, cString("pub"), point.baseAddress, point.count) == 1
          else { return nil }
        }
        return finish(builder, type: type, isPrivate: isPrivate)
      }
    }
    guard let key else {
      ERR_clear_error()
      throw wrong
    }
    return try AsymmetricKey(taking: key)
  }

  /// Returns the string's address: a static string is terminated by NUL and never moves.
  private static func cString(_ name: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  private static func finish(_ builder: OpaquePointer, type: String, isPrivate: Bool) -> OpaquePointer? {
    guard let parameters = OSSL_PARAM_BLD_to_param(builder) else { return nil }
    defer { OSSL_PARAM_free(parameters) }
    guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_fromdata_init(context) == 1,
      EVP_PKEY_fromdata(context, &key, Int32(isPrivate ? PosternKeyPair : PosternPublicKey), parameters) == 1,
      let key
    else { return nil }
    // A point off the curve, or halves of different pairs, must be rejected here, before an attacker can use them.
    guard let checker = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
      EVP_PKEY_free(key)
      return nil
    }
    defer { EVP_PKEY_CTX_free(checker) }
    let isSound = type == "EC" ? EVP_PKEY_public_check(checker) == 1 : true
    let isPair = isPrivate ? EVP_PKEY_pairwise_check(checker) == 1 : true
    guard isSound && isPair else {
      EVP_PKEY_free(key)
      return nil
    }
    return key
  }
}
