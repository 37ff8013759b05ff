/// HMAC with SHA-256 (RFC 2104) of whole byte strings, for schemes other than JWS, e.g. derived keys and signed requests.
package enum HMACSHA256 {
  /// The length of a code, in bytes.
  package static let size = 32

  /// Returns the 32 bytes of the code. The key may have any length.
  package static func code(key: [UInt8], _ message: some Collection<UInt8>) -> [UInt8] {
    let key = HMACKey(secret: key, hash: .sha256)
    let message = Array(message)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
      message.withUnsafeBytes { key.authenticate($0, into: buffer.baseAddress!) }
      initialized = size
    }
  }
}
