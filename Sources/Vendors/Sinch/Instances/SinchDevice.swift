internal import GatewayCore

/// A device with its user and application, as a client declares itself before it proves anything: ann on the phone
/// `d1`, for instance.
struct SinchDevice: Hashable, Sendable {
  var application: Name
  var user: UserID
  var device: Name

  /// The longest accepted device id, in bytes.
  static let lengthMax = 255

  init(application: Name, user: UserID, device: Name) {
    self.application = application
    self.user = user
    self.device = device
  }

  /// What a connection of it notes.
  func notes(instance: Name? = nil, asked: SinchCredentialsReason? = nil) -> Baggage {
    Baggage(SinchStanding(device: self, instance: instance, asked: asked))
  }
}

/// The reason why a client is asked for credentials: its registration ends soon, for instance.
package enum SinchCredentialsReason: String, Hashable, Sendable, CaseIterable {
  /// The device has no instance yet.
  case first
  /// The registration ends soon: declining leaves it until then.
  case extend
  /// The registration has ended.
  case expired
  /// The instance is not known, or no longer.
  case unknownInstance = "unknown_instance"
}
