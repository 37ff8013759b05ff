internal import GatewayCore

/// A note to the other nodes that a device registered again over HTTP: its connections continue with that instance.
struct SinchRenewalNote: Sendable {
  private static let topic = "sinch.renewal"

  let instance: Name
  /// The token of the instance that its connections have.
  let fingerprint: TokenFingerprint

  init(_ instance: Name, replacing fingerprint: TokenFingerprint) {
    (self.instance, self.fingerprint) = (instance, fingerprint)
  }

  /// Reads a note; nil if it is another one.
  init?(_ note: VendorNote) {
    guard note.topic == Self.topic else { return nil }
    let parts = note.text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard parts.count == 2, let fingerprint = TokenFingerprint(parts[0]) else { return nil }
    self.init(Name(parts[1]), replacing: fingerprint)
  }

  var note: VendorNote { VendorNote(Self.topic, "\(fingerprint) \(instance.text)") }

  /// Has the device's connections to this process continue with `instance`, which it registered.
  func renew(with instance: SinchInstance, on services: any GatewayServices) async {
    var token = SinchRegistrar.token(of: instance)
    let device = SinchDevice(application: instance.application, user: instance.user, device: instance.device)
    token.notes = device.notes(instance: instance.id)
    let sessions = SessionFilter(user: instance.user, dialects: [SinchDialect.name], fingerprint: fingerprint)
    _ = await services.renew(sessions, with: token)
  }
}
