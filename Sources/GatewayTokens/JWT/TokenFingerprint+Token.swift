package import GatewayCore

extension TokenFingerprint {
  /// Computes the fingerprint of a token: of a whole opaque token, or of a JWT without its signature.
  ///
  /// A holder of an ECDSA signature can write a second one that also verifies (n - s for s). The fingerprint leaves the
  /// signature out, so that a revoked token cannot return under another fingerprint.
  package init(of token: String) {
    self = token.utf8.span.bytes.withUnsafeBytes { bytes in
      let dot = UInt8(ascii: ".")
      let first = bytes.firstIndex(of: dot)
      let last = bytes.lastIndex(of: dot)
      let isJWT = if let first, let last { first < last } else { false }
      let identity = isJWT ? UnsafeRawBufferPointer(rebasing: bytes[..<last!]) : bytes
      return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
        SHA2.sha256.digest(identity, into: digest.assumingMemoryBound(to: UInt8.self).baseAddress!)
        return TokenFingerprint(
          high: UInt64(bigEndian: digest.load(as: UInt64.self)),
          low: UInt64(bigEndian: digest.load(fromByteOffset: 8, as: UInt64.self)))
      }
    }
  }
}
