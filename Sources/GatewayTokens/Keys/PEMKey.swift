internal import COpenSSL

/// A key in PEM text, `-----BEGIN PRIVATE KEY-----` for instance: a private key (PKCS #8, PKCS #1 or SEC 1), a public
/// key (SubjectPublicKeyInfo) or an X.509 certificate, whose dates and issuer are not looked at: it is a key in another
/// wrapping.
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

  /// Without a callback of our own OpenSSL would ask for the password on the terminal.
  private static let refusePassword:
    @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?)
      -> Int32 = { _, _, _, _ in -1 }

  /// Whether the bytes look like the text of a key or certificate, which nobody means as an HMAC secret.
  static func looksLikeKey(_ bytes: [UInt8]) -> Bool {
    let head = bytes.prefix(65_536)
    if head.starts(with: "ssh-".utf8) || head.starts(with: "ecdsa-sha2-".utf8) { return true }
    // Byte by byte: to look for text in text takes longer than all else that a secret needs.
    return head.indices.contains { head[$0] == UInt8(ascii: "-") && head[$0...].starts(with: "-----BEGIN ".utf8) }
  }
}
