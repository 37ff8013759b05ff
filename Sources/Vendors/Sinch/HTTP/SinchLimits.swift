internal import GatewayCore
internal import GatewayKit

/// The limits of what one address may do without a login.
struct SinchLimits: Sendable {
  /// The limit for guests, which anyone can create.
  let guests: AddressLimit
  /// The limit for passwords, right or wrong.
  let passwords: AddressLimit

  init(_ settings: SinchSettings, on ground: Ground) {
    guests = AddressLimit(perMinute: settings.guestsPerMinute, tally: NodeTally("sinch.guests", on: ground))
    passwords = AddressLimit(perMinute: settings.passwordsPerMinute, tally: NodeTally("sinch.passwords", on: ground))
  }

  /// Counts what another node let pass, if the note is about that.
  func hear(_ note: VendorNote, at now: WallTime) {
    guests.hear(note, at: now)
    passwords.hear(note, at: now)
  }
}
