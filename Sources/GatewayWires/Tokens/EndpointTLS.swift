/// The files for TLS with an endpoint: the CA certificate, and the client's certificate and key.
package struct EndpointTLS: Hashable, Sendable {
  package var ca: String?
  package var certificate: String?
  package var key: String?

  /// Reads the files.
  ///
  /// - Parameter path: Returns the path of a file beside the description.
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
