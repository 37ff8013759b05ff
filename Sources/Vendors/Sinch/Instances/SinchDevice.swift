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

  /// What the notes of a connection hold of it; nil before its `start`.
  init?(_ note: (String) -> String?) {
    guard let application = note(Note.application), let user = note(Note.user), let device = note(Note.device) else {
      return nil
    }
    self.init(application: Name(application), user: UserID(user), device: Name(device))
  }

  /// The names of a connection's notes.
  enum Note {
    static let application = "application"
    static let user = "user"
    static let device = "device"
    static let instance = "instance"
    /// Why credentials were asked for, while that is not answered.
    static let asked = "asked"
  }

  func notes(instance: Name? = nil, asked: SinchCredentialsReason? = nil) -> [HTTPField] {
    var notes = [
      HTTPField(Note.application, application.text), HTTPField(Note.user, user.rawValue),
      HTTPField(Note.device, device.text),
    ]
    if let instance { notes.append(HTTPField(Note.instance, instance.text)) }
    if let asked { notes.append(HTTPField(Note.asked, asked.rawValue)) }
    return notes
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
