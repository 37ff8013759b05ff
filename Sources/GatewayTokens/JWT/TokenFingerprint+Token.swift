package import GatewayCore

extension TokenFingerprint {
  /// The fingerprint of a token: of the whole of an opaque one; of a JWT without its signature, because whoever holds an
  /// ECDSA signature can write a second one that verifies as well (n - s for s), and a revoked token must not come back
  /// under another fingerprint.
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
