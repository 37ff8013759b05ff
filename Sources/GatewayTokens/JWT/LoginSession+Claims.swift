package import GatewayCore
internal import GatewayJSON

extension LoginSession {
  /// The session of that `sid` at an issuer.
  package init(_ sid: String, at issuer: Name) {
    // No UTF-8 has this byte, so it separates the two.
    let digest = SHA256.digest(Array(issuer.text.utf8) + [0xFF] + Array(sid.utf8))
    self.init(hash: digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }
}
