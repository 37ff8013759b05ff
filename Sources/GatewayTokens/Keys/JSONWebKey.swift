internal import COpenSSL
internal import GatewayCore
internal import GatewayJSON

/// A reader of keys as JSON (RFC 7517), with the parameters of RFC 7518 section 6 and RFC 8037 section 2.
enum JSONWebKey {
  /// Returns the keys of a JWK set or of a single JWK, and the reasons why others of the set were left out.
  static func read(_ text: [UInt8]) throws(KeyError) -> (keys: [KeyMaterial], ignored: [String]) {
    var keys: [KeyMaterial] = []
    var ignored: [String] = []
    for (index, entry) in try entries(text).enumerated() {
      switch try read(entry, index: index) {
      case .key(let key): keys.append(key)
      case .ignored(let reason): ignored.append("key \(index): \(reason)")
      }
    }
    return (keys, ignored)
  }

  /// Returns the keys of a JWK set, or a single JWK, unread.
  static func entries(_ text: [UInt8]) throws(KeyError) -> [JSONView] {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument.parse(text, sizeMax: 1 << 20)
    } catch {
      throw .notJWKSet(error.description)
    }
    let root = document.root
    guard root["keys"] != nil || root["kty"] != nil else {
      throw .notJWKSet("neither a member keys nor a member kty")
    }
    guard let entries = root["keys"].map({ $0.elements }) ?? [root] else {
      throw .notJWKSet("the member keys is not an array")
    }
    return entries
  }

  enum Outcome {
    case key(KeyMaterial)
    case ignored(String)
  }

  static func read(_ jwk: JSONView, index: Int) throws(KeyError) -> Outcome {
    func fail(_ reason: String) -> KeyError { .jwk(index: index, reason: reason) }
    guard jwk.isObject, let type = jwk["kty"]?.string else { throw fail("kty must be a string") }
    for name in ["use", "alg", "kid"] {
      if let value = jwk[member: name], value.string == nil { throw fail("\(name) must be a string") }
    }
    if let use = jwk["use"]?.string, use != "sig" { return .ignored("its use is not sig") }
    var bound: AlgorithmSet?
    if let name = jwk["alg"]?.string {
      guard let algorithm = JWTAlgorithm(name: name) else { return .ignored("its alg is not offered") }
      bound = AlgorithmSet([algorithm])
    }

    let content: KeyMaterial.Content
    switch type {
    case "oct": content = .secret(try bytes(jwk, "k", index))
    case "RSA": content = .asymmetric(try rsa(jwk, index))
    case "EC":
      guard let curve = jwk["crv"]?.string else { throw fail("crv must be a string") }
      guard let width = ["P-256": 32, "P-384": 48][curve] else { return .ignored("its curve is not offered") }
      content = .asymmetric(try ellipticCurve(jwk, curve: curve, width: width, index))
    case "OKP":
      guard let curve = jwk["crv"]?.string else { throw fail("crv must be a string") }
      guard curve == "Ed25519" else { return .ignored("its curve is not offered") }
      content = .asymmetric(try ed25519(jwk, index))
    default: return .ignored("its kty is not offered")
    }

    var material = KeyMaterial(content: content)
    material.id = jwk["kid"]?.string
    material.algorithms = bound ?? defaultAlgorithms(content)
    if let end = jwk["exp"] {
      guard let seconds = end.number else { throw fail("exp must be a number") }
      material.endsAt = WallTime(seconds: seconds)
    }
    if case .secret(let secret) = content, PEMKey.looksLikeKey(secret) { throw .secretIsKeyFile }
    if let operations = jwk["key_ops"] {
      guard let names = operations.elements?.map(\.string), !names.contains(nil) else {
        throw fail("key_ops must be an array of strings")
      }
      material.mayVerify = names.contains("verify")
      material.maySign = names.contains("sign")
    }
    return .key(material)
  }

  /// Returns the algorithms of a secret without `alg`: the HMACs it is long enough for, HS256 at least.
  private static func defaultAlgorithms(_ content: KeyMaterial.Content) -> AlgorithmSet? {
    guard case .secret(let secret) = content else { return nil }
    let fitting = AlgorithmSet.hmac.algorithms.filter { $0.hash.size <= secret.count }
    return AlgorithmSet(fitting.isEmpty ? [.hs256] : fitting)
  }

  private static func bytes(_ jwk: JSONView, _ name: String, _ index: Int) throws(KeyError) -> [UInt8] {
    guard let bytes = jwk[member: name]?.string.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty else {
      throw .jwk(index: index, reason: "\(name) must be base64url text")
    }
    return bytes
  }

  /// Reads an RSA key. OpenSSL's own names for the numbers are in EVP_PKEY-RSA(7) and EVP_PKEY-EC(7); Swift imports few of
  /// their macros.
  private static func rsa(_ jwk: JSONView, _ index: Int) throws(KeyError) -> AsymmetricKey {
    var numbers: [(name: StaticString, value: [UInt8])] = [
      ("n", try bytes(jwk, "n", index)), ("e", try bytes(jwk, "e", index)),
    ]
    if jwk["d"] != nil {
      guard jwk["oth"] == nil else { throw .unsupported("an RSA key of more than two primes") }
      numbers.append(("d", try bytes(jwk, "d", index)))
      if jwk["p"] != nil {
        numbers += [
          ("rsa-factor1", try bytes(jwk, "p", index)),
          ("rsa-factor2", try bytes(jwk, "q", index)),
          ("rsa-exponent1", try bytes(jwk, "dp", index)),
          ("rsa-exponent2", try bytes(jwk, "dq", index)),
          ("rsa-coefficient1", try bytes(jwk, "qi", index)),
        ]
      }
    }
    return try KeyBuilder.build(
      type: "RSA", isPrivate: jwk["d"] != nil, numbers: numbers, index: index)
  }

  private static func ellipticCurve(
    _ jwk: JSONView, curve: String, width: Int, _ index: Int
  ) throws(KeyError) -> AsymmetricKey {
    let x = try bytes(jwk, "x", index)
    let y = try bytes(jwk, "y", index)
    // RFC 7518 section 6.2.1.2: at full width, leading zeros included.
    guard x.count == width, y.count == width else {
      throw .jwk(index: index, reason: "x and y must have \(width) bytes")
    }
    var secret: [(name: StaticString, value: [UInt8])] = []
    if jwk["d"] != nil { secret.append(("priv", try bytes(jwk, "d", index))) }
    return try KeyBuilder.build(
      type: "EC", isPrivate: jwk["d"] != nil, numbers: secret, group: curve, point: [4] + x + y, index: index)
  }

  private static func ed25519(_ jwk: JSONView, _ index: Int) throws(KeyError) -> AsymmetricKey {
    let x = try bytes(jwk, "x", index)
    let d = jwk["d"] == nil ? nil : try bytes(jwk, "d", index)
    guard x.count == 32, d.map({ $0.count == 32 }) ?? true else {
      throw .jwk(index: index, reason: "x and d must have 32 bytes")
    }
    let key =
      d.map { EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0, $0.count) }
      ?? EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, x, x.count)
    guard let key else {
      ERR_clear_error()
      throw .jwk(index: index, reason: "not an Ed25519 key")
    }
    let built = try AsymmetricKey(taking: key)
    var derived = [UInt8](repeating: 0, count: 32)
    var length = derived.count
    guard EVP_PKEY_get_raw_public_key(key, &derived, &length) == 1, derived == x else {
      throw .jwk(index: index, reason: "x is not the public half of d")
    }
    return built
  }
}
