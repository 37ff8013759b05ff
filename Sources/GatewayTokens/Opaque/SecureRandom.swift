internal import COpenSSL

/// Chance that nobody can foresee, for secrets: the 32 bytes of an opaque token, for instance. The one source that is
/// not a parameter: a seeded secret is none.
package enum SecureRandom {
  /// `count` bytes from OpenSSL's generator.
  package static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard RAND_bytes(buffer.baseAddress, Int32(count)) == 1 else {
        preconditionFailure("the system gives no random bytes")
      }
      initialized = count
    }
  }
}
