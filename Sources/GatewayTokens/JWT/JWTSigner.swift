internal import GatewayCore
internal import GatewayJSON

/// A signer of JSON Web Tokens with one key and one algorithm. All loops share one; its key can be replaced at any time.
package final class JWTSigner: Sendable {
  package var algorithm: JWTAlgorithm { state.value.algorithm }
  /// The `kid` in the header of its tokens; nil for none.
  package var keyID: String? { state.value.keyID }

  private enum Method: Sendable {
    case hmac(HMACKey)
    case signature(AsymmetricSigner)
  }

  /// The key and the encoded header.
  private final class State: Sendable {
    let algorithm: JWTAlgorithm
    let keyID: String?
    let method: Method
    /// The usual header, encoded once, and the dot after it.
    let header: [UInt8]

    init(_ algorithm: JWTAlgorithm, keyID: String?, _ method: Method, header: [UInt8]) {
      self.algorithm = algorithm
      self.keyID = keyID
      self.method = method
      self.header = header
    }
  }

  private let state: Replaceable<State>

  /// Creates a signer. Throws unless the key can sign by `algorithm`, or by the first algorithm it is bound to if none is
  /// given. It rejects a short secret as a verifier does.
  package init(
    _ key: KeyMaterial, algorithm: JWTAlgorithm? = nil, type: String? = "JWT", allowingShortSecret: Bool = false
  ) throws(KeyError) {
    guard key.maySign else { throw .notPrivate }
    let usable = try key.usableAlgorithms()
    guard let chosen = algorithm ?? usable.algorithms.first else { throw .noAlgorithm }
    guard usable.contains(chosen) else { throw .algorithmDoesNotFit(chosen, key: "this key, bound to \(usable)") }
    if !allowingShortSecret { try key.checkLength(for: AlgorithmSet([chosen])) }
    let method: Method =
      switch key.content {
      case .secret(let secret): .hmac(HMACKey(secret: secret, hash: chosen.hash))
      case .asymmetric(let pair): .signature(try AsymmetricSigner(key: pair, algorithm: chosen))
      }
    let header = Self.encodeHeader(chosen, type: type, keyID: key.id)
    state = Replaceable(State(chosen, keyID: key.id, method, header: header))
  }

  /// Replaces the key with that of `other`. May be called from any thread.
  package func takeKey(of other: JWTSigner) { state.replace(with: other.state.value) }

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

  /// Returns the token with the payload `claims`, the bytes of one JSON object.
  package func sign(_ claims: [UInt8]) -> String {
    let state = state.value
    var token: [UInt8] = []
    token.reserveCapacity(state.header.count + claims.count * 4 / 3 + 100)
    token += state.header
    Base64URL.encode(claims, to: &token)
    let signature = Self.signature(of: token, by: state.method)
    token.append(UInt8(ascii: "."))
    Base64URL.encode(signature, to: &token)
    return String(decoding: token, as: UTF8.self)
  }

  /// Returns the signature of any bytes, in JWS form.
  package func signature(of input: [UInt8]) -> [UInt8] { Self.signature(of: input, by: state.value.method) }

  private static func signature(of input: [UInt8], by method: Method) -> [UInt8] {
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
