internal import GatewayCore

/// Who asks: what a client declares of itself before it proves anything.
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

/// Why a client is asked for credentials.
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
