internal import COpenSSL

/// A broken hash for vendors' formulas that require it. The gateway's own security does not depend on it.
package enum LegacyDigest: Hashable, Sendable {
  case md5
  case sha1

  /// Returns the hash of `bytes`: 16 bytes of MD5, 20 of SHA-1.
  package func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    var size: UInt32 = 0
    let output = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, initialized in
      let algorithm = self == .md5 ? EVP_md5() : EVP_sha1()
      guard EVP_Digest(bytes, bytes.count, buffer.baseAddress, &size, algorithm, nil) == 1 else {
        preconditionFailure("OpenSSL offers no \(self)")
      }
      initialized = Int(size)
    }
    return output
  }
}
