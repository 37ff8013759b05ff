internal import GatewayCore

/// A device with its user and application, as the client states them before it proves anything.
struct SinchDevice: Hashable, Sendable {
  var application: Name
  var user: UserID
  var device: Name

  /// The maximum length of a device id in bytes.
  static let lengthMax = 255

  /// Returns the notes for a connection of the device.
  func notes(instance: Name? = nil, asked: SinchCredentialsReason? = nil) -> Baggage {
    Baggage(SinchStanding(device: self, instance: instance, asked: asked))
  }
}

/// The reason why the gateway asks a client for credentials.
enum SinchCredentialsReason: String, Hashable, Sendable, CaseIterable {
  /// The device has no instance yet.
  case first
  /// The registration ends soon; declining keeps it until then.
  case extend
  /// The registration has ended.
  case expired
  /// The instance is unknown, or was deleted.
  case unknownInstance = "unknown_instance"
}
