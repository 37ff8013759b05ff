/// The process that spans are of, as a collector shows it.
package struct TraceResource: Sendable {
  /// The name of the service.
  package let service: String
  /// The version of this program.
  package let version: String

  package init(service: String, version: String) {
    (self.service, self.version) = (service, version)
  }
}
