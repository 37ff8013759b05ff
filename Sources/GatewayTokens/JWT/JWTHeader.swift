internal import GatewayJSON

/// The part of a JOSE header (RFC 7515 section 4) that a verifier needs, checked.
struct JWTHeader {
  let algorithm: JWTAlgorithm
  /// The key's name in `kid`, a string; nil if the header names no key.
  let keyID: JSONView?
  /// The token's `typ`, a string; nil if it has none.
  private let type: JSONView?

  /// Reads a header. Throws unless the gateway can follow it, and its `typ` is `type` if that is given. The verifier never
  /// looks at keys in the header or linked from it (`jwk`, `jku`, `x5c`, `x5u`; RFC 8725 section 3.10).
  init(_ header: JSONView, type: String?) throws(TokenError) {
    guard let name = header["alg"], name.kind == .string else { throw .algorithmMissing }
    guard let algorithm = JWTAlgorithm(name: name) else {
      let isNone = name.string?.lowercased() == "none"
      throw isNone ? .unsigned : .algorithmUnknown
    }
    self.algorithm = algorithm

    try Self.checkExtensions(header)

    keyID = header["kid"]
    if let keyID, keyID.kind != .string { throw .headerParameter("kid") }

    self.type = header["typ"]
    if let type = self.type, type.kind != .string { throw .headerParameter("typ") }
    try checkType(type)
  }

  /// Throws unless the token's `typ` is `type`, if that is given.
  func checkType(_ type: String?) throws(TokenError) {
    guard let type else { return }
    guard let actual = self.type?.string, Self.mediaType(actual) == Self.mediaType(type) else { throw .typeMismatch }
  }

  /// Throws for an extension other than `b64` with the value true (RFC 7797).
  static func checkExtensions(_ header: JSONView) throws(TokenError) {
    if let critical = header["crit"] {
      guard let names = critical.elements, names.count == 1, names[0].equals("b64"), header["b64"] != nil else {
        throw .criticalHeader
      }
    }
    if let encoded = header["b64"], encoded.bool != true { throw .unencodedPayload }
  }

  /// Returns the media type in lower case, without the prefix that a header may omit (RFC 7515 section 4.1.9).
  static func mediaType(_ name: String) -> String {
    let name = name.lowercased()
    return name.hasPrefix("application/") ? String(name.dropFirst("application/".count)) : name
  }
}
