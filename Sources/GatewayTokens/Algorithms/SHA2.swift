internal import COpenSSL

/// The hashes that the algorithms use, e.g. SHA-384 in ES384.
enum SHA2: Hashable, Sendable {
  case sha256, sha384, sha512

  /// The longest output, in bytes.
  static let sizeMax = 64

  /// The output's length in bytes.
  var size: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The name that OpenSSL fetches it by.
  var name: String {
    switch self {
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  /// Writes the hash of `bytes` into `output`, which has room for ``size`` bytes.
  func digest(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>) {
    switch self {
    case .sha256:
      var context = SHA256_CTX()
      SHA256_Init(&context)
      SHA256_Update(&context, bytes.baseAddress, bytes.count)
      SHA256_Final(output, &context)
    case .sha384:
      var context = SHA512_CTX()
      SHA384_Init(&context)
      SHA384_Update(&context, bytes.baseAddress, bytes.count)
      SHA384_Final(output, &context)
    case .sha512:
      var context = SHA512_CTX()
      SHA512_Init(&context)
      SHA512_Update(&context, bytes.baseAddress, bytes.count)
      SHA512_Final(output, &context)
    }
  }
}

/// SHA-256 of whole byte strings, e.g. of an opaque token, which is stored under its hash.
package enum SHA256 {
  /// Returns the 32 bytes of the hash.
  package static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    return [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      bytes.withUnsafeBytes { SHA2.sha256.digest($0, into: buffer.baseAddress!) }
      initialized = 32
    }
  }
}
