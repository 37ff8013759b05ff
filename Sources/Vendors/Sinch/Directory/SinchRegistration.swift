package import GatewayCore

/// A registration whose credentials have passed every check that needs no memory: ann's phone by a token whose nonce
/// may have been spent, for instance.
package struct SinchRegistration: Hashable, Sendable {
  /// The part of a registration's credentials that must not be presented twice: a token's nonce, for instance.
  package enum Proof: Hashable, Sendable {
    /// The nonce of a registration token, remembered until that time.
    case nonce(Name, until: WallTime, replay: SinchNonceReplay)
    /// The number of a legacy mobile signature, which rises for each application and user.
    case sequence(UInt64)
    /// A ticket, which may be presented as often as it is good.
    case ticket
  }

  package var proof: Proof
  /// The instance to keep if there is none to extend.
  package var instance: SinchInstance
  /// The living instance to extend; nil, or one that is not this device's or has ended, for a new one.
  package var extends: Name?
  /// Whether a device whose registration was once limited may not register without an end.
  package var keepsLimits: Bool

  package init(proof: Proof, instance: SinchInstance, extends: Name? = nil, keepsLimits: Bool) {
    self.proof = proof
    self.instance = instance
    self.extends = extends
    self.keepsLimits = keepsLimits
  }
}
