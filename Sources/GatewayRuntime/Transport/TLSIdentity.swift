/// PEM files for TLS with one server: who signed its certificate, and the client's own with its key; `ca.pem` of a
/// company's own authority, for instance.
package struct TLSIdentity: Hashable, Sendable {
  /// Trusted in place of what the system trusts.
  package var caPath: String?
  package var certificatePath: String?
  package var keyPath: String?

  package init(caPath: String? = nil, certificatePath: String? = nil, keyPath: String? = nil) {
    self.caPath = caPath
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }
}
