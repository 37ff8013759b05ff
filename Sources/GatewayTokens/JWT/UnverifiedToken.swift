package import GatewayCore
package import GatewayJSON

/// The content of a token whose signature is not verified, to show to people; code must not act upon it.
package struct UnverifiedToken: Sendable {
  package let header: JSONView
  package let payload: JSONView
  /// The length of the signature, in bytes.
  package let signatureSize: Int
  package let fingerprint: TokenFingerprint

  /// Decodes a token of at most `sizeMax` bytes; throws if it is not well formed.
  package init(_ token: String, sizeMax: Int = 65_536) throws(TokenError) {
    guard token.utf8.count <= sizeMax else { throw .tooLarge(limit: sizeMax) }
    self = try token.utf8.span.bytes.withUnsafeBytes { bytes throws(TokenError) in
      let compact = try CompactToken(bytes)
      return UnverifiedToken(
        header: try CompactToken.object(compact.header, .header),
        payload: try CompactToken.object(compact.payload, .payload),
        signatureSize: try CompactToken.decode(compact.signature, .signature) { $0.count },
        fingerprint: TokenFingerprint(of: token))
    }
  }

  /// Throws if the header names an extension that is not supported (RFC 7515 section 4.1.11).
  package func checkExtensions() throws(TokenError) {
    try JWTHeader.checkExtensions(header)
  }

  private init(header: JSONView, payload: JSONView, signatureSize: Int, fingerprint: TokenFingerprint) {
    self.header = header
    self.payload = payload
    self.signatureSize = signatureSize
    self.fingerprint = fingerprint
  }
}
