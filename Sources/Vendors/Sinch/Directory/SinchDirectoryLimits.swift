/// The size limits of Sinch's directory.
package struct SinchDirectoryLimits: Hashable, Sendable {
  package var instances: Int
  /// Instances of one user; a new one replaces the oldest.
  package var instancesPerUser: Int
  package var nonces: Int
  package var sequences: Int
  /// Devices remembered as limited; further ones are not remembered.
  package var devices: Int
  /// Unknown names that were tried with a password; some are displaced by others.
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
