import GatewayTokens

/// The proof of one side that it knows the secret: HMAC-SHA-256 (RFC 2104) over the prover and a number of either side.
///
/// Neither an earlier proof nor the other side's own is accepted.
enum WorkerProof {
  enum Prover: String {
    case storm
    case worker
  }

  /// The shortest secret, in bytes: a peer may try as many as it likes.
  static let secretBytesMin = 16
  private static let nonceBytes = 24

  static func nonce() -> String {
    hexadecimal(Secrets.system.bytes(nonceBytes))
  }

  /// The code as hexadecimal digits; `nonces` are the prover's and the other side's.
  static func code(_ secret: String, of prover: Prover, nonces: (own: String, other: String)) -> String {
    let message = "postern \(prover.rawValue) \(nonces.own) \(nonces.other)"
    return hexadecimal(HMACSHA256.code(key: Array(secret.utf8), message.utf8))
  }

  /// Whether `proof` is that code, in a time that does not tell how much of it is right.
  static func holds(
    _ proof: String, _ secret: String, of prover: Prover, nonces: (own: String, other: String)
  ) -> Bool {
    let expected = Array(code(secret, of: prover, nonces: nonces).utf8)
    let given = Array(proof.utf8)
    guard given.count == expected.count else { return false }
    return zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
