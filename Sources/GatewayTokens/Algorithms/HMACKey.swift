internal import COpenSSL

/// A secret prepared for HMAC (RFC 2104): the hash states after the inner and the outer pad. It is prepared once, not for each
/// token.
///
/// Measured on OpenSSL 3.0 with 260 bytes, per token: copying these values 0.23 us, copying EVP_MD_CTX 0.33 us, EVP_MAC_CTX_dup
/// 0.63 us, HMAC() 1.24 us.
final class HMACKey: Sendable {
  private enum States: Sendable {
    case short(inner: SHA256_CTX, outer: SHA256_CTX)
    case long(inner: SHA512_CTX, outer: SHA512_CTX)
  }

  let hash: SHA2
  private let states: States

  init(secret: [UInt8], hash: SHA2) {
    self.hash = hash
    let block = hash == .sha256 ? 64 : 128
    var key = [UInt8](repeating: 0, count: block)
    if secret.count > block {
      secret.withUnsafeBytes { bytes in
        key.withUnsafeMutableBufferPointer { hash.digest(bytes, into: $0.baseAddress!) }
      }
    } else {
      key.replaceSubrange(0..<secret.count, with: secret)
    }
    let inner = key.map { $0 ^ 0x36 }
    let outer = key.map { $0 ^ 0x5c }
    switch hash {
    case .sha256: states = .short(inner: Self.short(inner), outer: Self.short(outer))
    case .sha384, .sha512: states = .long(inner: Self.long(inner, hash), outer: Self.long(outer, hash))
    }
  }

  private static func short(_ pad: [UInt8]) -> SHA256_CTX {
    var context = SHA256_CTX()
    SHA256_Init(&context)
    SHA256_Update(&context, pad, pad.count)
    return context
  }

  private static func long(_ pad: [UInt8], _ hash: SHA2) -> SHA512_CTX {
    var context = SHA512_CTX()
    // SHA-384 is SHA-512 with other initial values; the context records which, for the final step.
    if hash == .sha384 { SHA384_Init(&context) } else { SHA512_Init(&context) }
    SHA512_Update(&context, pad, pad.count)
    return context
  }

  /// Writes the code of `bytes` into `output`, which has room for the hash's size.
  func authenticate(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>) {
    switch states {
    case .short(var inner, var outer):
      SHA256_Update(&inner, bytes.baseAddress, bytes.count)
      SHA256_Final(output, &inner)
      SHA256_Update(&outer, output, hash.size)
      SHA256_Final(output, &outer)
    case .long(var inner, var outer):
      SHA512_Update(&inner, bytes.baseAddress, bytes.count)
      SHA512_Final(output, &inner)
      SHA512_Update(&outer, output, hash.size)
      SHA512_Final(output, &outer)
    }
  }

  /// Returns whether `code` authenticates `bytes`, compared in constant time.
  func verify(_ bytes: UnsafeRawBufferPointer, code: UnsafeRawBufferPointer) -> Bool {
    guard code.count == hash.size else { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SHA2.sizeMax) { expected in
      authenticate(bytes, into: expected.baseAddress!)
      return CRYPTO_memcmp(expected.baseAddress!, code.baseAddress!, hash.size) == 0
    }
  }
}
