internal import COpenSSL

/// A reader of keys in PEM text: a private key (PKCS #8, PKCS #1 or SEC 1), a public key (SubjectPublicKeyInfo) or an X.509
/// certificate. A certificate only supplies its key; its dates and issuer are ignored.
enum PEMKey {
  static func read(_ text: [UInt8]) throws(KeyError) -> AsymmetricKey {
    let readers: [(OpaquePointer) -> OpaquePointer?] = [
      { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) },
      { PEM_read_bio_PUBKEY($0, nil, refusePassword, nil) },
      { bio in
        guard let certificate = PEM_read_bio_X509(bio, nil, refusePassword, nil) else { return nil }
        defer { X509_free(certificate) }
        return X509_get_pubkey(certificate)
      },
    ]
    for reader in readers {
      let key = text.withUnsafeBytes { bytes -> OpaquePointer? in
        guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        defer { BIO_free(bio) }
        return reader(bio)
      }
      ERR_clear_error()
      if let key { return try AsymmetricKey(taking: key) }
    }
    throw .notPEM
  }

  /// Reads a private key. The caller owns it.
  static func readPrivate(_ text: [UInt8]) throws(KeyError) -> OpaquePointer {
    let key = text.withUnsafeBytes { bytes -> OpaquePointer? in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(bio) }
      return PEM_read_bio_PrivateKey(bio, nil, refusePassword, nil)
    }
    ERR_clear_error()
    guard let key else { throw .notPEM }
    return key
  }

  /// Returns the private key as PKCS #8; nil if OpenSSL does not.
  static func writePrivate(_ key: AsymmetricKey) -> [UInt8]? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PKCS8PrivateKey(bio, key.pointer, nil, nil, 0, nil, nil) == 1 else { return nil }
    let size = BIO_ctrl_pending(bio)
    var text = [UInt8](repeating: 0, count: size)
    guard BIO_read(bio, &text, Int32(clamping: size)) == Int32(clamping: size) else { return nil }
    return text
  }

  /// A callback that refuses, because otherwise OpenSSL would ask for the password on the terminal.
  private static let refusePassword:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?)
      -> Int32 = { _, _, _, _ in -1 }

  /// Returns whether the bytes look like the text of a key or certificate, which is never meant as an HMAC secret.
  static func looksLikeKey(_ bytes: [UInt8]) -> Bool {
    let head = bytes.prefix(65_536)
    if head.starts(with: "ssh-".utf8) || head.starts(with: "ecdsa-sha2-".utf8) { return true }
    // Compares byte by byte: to search for text in text takes longer than all other work on a secret.
    return head.indices.contains { head[$0] == UInt8(ascii: "-") && head[$0...].starts(with: "-----BEGIN ".utf8) }
  }
}
