/// The data that a client sends when it connects, for the application's own backend: one JSON value.
package struct ClientData: Hashable, Sendable {
  /// The maximum number of bytes of its text.
  package static let bytesMax = 8 << 10
  /// The maximum depth of arrays and objects.
  package static let depthMax = 32

  package let json: String

  package init(json: String) { self.json = json }
}
