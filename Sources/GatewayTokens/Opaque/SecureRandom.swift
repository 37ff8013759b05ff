internal import COpenSSL

/// Unpredictable random bytes for secrets. This source is not a parameter, because a seeded secret is not secret.
package enum SecureRandom {
  /// Returns `count` bytes from OpenSSL's generator.
  package static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard RAND_bytes(buffer.baseAddress, Int32(count)) == 1 else {
        preconditionFailure("the system gives no random bytes")
      }
      initialized = count
    }
  }
}
