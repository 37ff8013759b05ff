/// What a client says of itself as it connects, for the application's own backend: one JSON value.
package struct ClientData: Hashable, Sendable {
  /// The most bytes of its text.
  package static let bytesMax = 8 << 10
  /// The most levels of arrays and objects.
  package static let depthMax = 32

  package let json: String

  package init(json: String) { self.json = json }
}
