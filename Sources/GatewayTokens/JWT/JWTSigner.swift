internal import GatewayCore
internal import GatewayJSON

/// A signer of JSON Web Tokens with one key by one algorithm, HS256 for instance. Immutable, so that all loops share one.
package struct JWTSigner: Sendable {
  package let algorithm: JWTAlgorithm
  /// The `kid` tokens are given; nil for none.
  package let keyID: String?

  private enum Method: Sendable {
    case hmac(HMACKey)
    case signature(AsymmetricSigner)
  }

  private let method: Method
  /// The usual header, encoded once, and the dot after it.
  private let header: [UInt8]

  /// Throws unless the key can sign by `algorithm`, or by the first it is bound to if none is given. Refuses a short
  /// secret as a verifier does.
  package init(
    _ key: KeyMaterial, algorithm: JWTAlgorithm? = nil, type: String? = "JWT", allowingShortSecret: Bool = false
  ) throws(KeyError) {
    guard key.maySign else { throw .notPrivate }
    let usable = try key.usableAlgorithms()
    guard let chosen = algorithm ?? usable.algorithms.first else { throw .noAlgorithm }
    guard usable.contains(chosen) else { throw .algorithmDoesNotFit(chosen, key: "this key, bound to \(usable)") }
    if !allowingShortSecret { try key.checkLength(for: AlgorithmSet([chosen])) }
    self.algorithm = chosen
    keyID = key.id
    method =
      switch key.content {
      case .secret(let secret): .hmac(HMACKey(secret: secret, hash: chosen.hash))
      case .asymmetric(let pair): .signature(try AsymmetricSigner(key: pair, algorithm: chosen))
      }
    header = Self.encodeHeader(chosen, type: type, keyID: key.id)
  }

  private static func encodeHeader(_ algorithm: JWTAlgorithm, type: String?, keyID: String?) -> [UInt8] {
    var json = JSONWriter(capacity: 96)
    json.beginObject()
    json.member("alg", algorithm.name)
    if let type { json.member("typ", type) }
    if let keyID { json.member("kid", keyID) }
    json.endObject()
    var text: [UInt8] = []
    Base64URL.encode(json.bytes, to: &text)
    text.append(UInt8(ascii: "."))
    return text
  }

  /// The token whose payload is `claims`, the bytes of one JSON object.
  package func sign(_ claims: [UInt8]) -> String {
    var token: [UInt8] = []
    token.reserveCapacity(header.count + claims.count * 4 / 3 + 100)
    token += header
    Base64URL.encode(claims, to: &token)
    let signature = signature(of: token)
    token.append(UInt8(ascii: "."))
    Base64URL.encode(signature, to: &token)
    return String(decoding: token, as: UTF8.self)
  }

  /// The signature of any bytes, in JWS form.
  package func signature(of input: [UInt8]) -> [UInt8] {
    switch method {
    case .signature(let signer): signer.sign(input)
    case .hmac(let key):
      [UInt8](unsafeUninitializedCapacity: SHA2.sizeMax) { buffer, initialized in
        input.withUnsafeBytes { key.authenticate($0, into: buffer.baseAddress!) }
        initialized = key.hash.size
      }
    }
  }
}
