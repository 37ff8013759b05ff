internal import GatewayCore

/// A registration whose credentials have passed every check that needs no stored state.
struct SinchRegistration: Hashable, Sendable {
  /// The part of a registration's credentials that prevents replays.
  enum Proof: Hashable, Sendable {
    /// The nonce of a registration token, remembered until that time.
    case nonce(Name, until: WallTime, replay: SinchNonceReplay)
    /// The number of a legacy mobile signature, which increases for each application and user.
    case sequence(UInt64)
    /// A ticket, which may be used repeatedly while it is valid.
    case ticket
  }

  var proof: Proof
  /// The instance to store if there is none to extend.
  var instance: SinchInstance
  /// The valid instance to extend; a new one is stored if this is nil, belongs to another device, or has ended.
  var extends: Name?
  /// Whether a device with a limited registration may not register without an end later.
  var keepsLimits: Bool
}
