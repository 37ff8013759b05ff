/// The most that Sinch's directory holds of anything: 100 instances of one user, for instance, of which the oldest
/// makes room for the next.
package struct SinchDirectoryLimits: Hashable, Sendable {
  package var instances: Int
  /// Of one user; the oldest makes room for the next.
  package var instancesPerUser: Int
  package var nonces: Int
  package var sequences: Int
  /// Devices remembered as limited; one too many is not remembered.
  package var devices: Int
  /// Names that are no account's and were tried with a password; a share of them is forgotten for others.
  package var passwords: Int

  package init(
    instances: Int = 1_000_000, instancesPerUser: Int = 100, nonces: Int = 1_000_000, sequences: Int = 1_000_000,
    devices: Int = 1_000_000, passwords: Int = 10_000
  ) {
    self.instances = instances
    self.instancesPerUser = instancesPerUser
    self.nonces = nonces
    self.sequences = sequences
    self.devices = devices
    self.passwords = passwords
  }
}
