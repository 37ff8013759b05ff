/// PEM files for TLS with one server: the authority that signed its certificate, and the client's own certificate and key.
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
