/// The files that TLS with an endpoint needs: `ca.pem` of who signed its certificate, for instance, and the client's
/// own.
package struct EndpointTLS: Hashable, Sendable {
  package var ca: String?
  package var certificate: String?
  package var key: String?

  /// - Parameter path: Where a file is that stands beside the description.
  init(_ described: Described, path: (Described) throws(DescriptionError) -> String) throws(DescriptionError) {
    let tls = try described.object(["ca", "certificate", "key"])
    ca = try tls["ca"].map(path)
    certificate = try tls["certificate"].map(path)
    key = try tls["key"].map(path)
    if let certificate = tls["certificate"], tls["key"] == nil {
      throw certificate.error("needs its \"key\", as \"key\": \"client.key\"")
    }
    if let key = tls["key"], tls["certificate"] == nil {
      throw key.error("needs its \"certificate\", as \"certificate\": \"client.pem\"")
    }
  }
}
