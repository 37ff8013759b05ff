/// The most a ``MemorySinchDirectory`` holds of anything.
package struct MemorySinchLimits: Hashable, Sendable {
  package var instances: Int
  package var nonces: Int
  package var sequences: Int
  /// Devices remembered as limited, and instances remembered as ended; the oldest is forgotten first.
  package var devices: Int
  /// Accounts with wrong passwords; the oldest is forgotten first.
  package var passwords: Int

  package init(
    instances: Int = 1_000_000, nonces: Int = 1_000_000, sequences: Int = 1_000_000, devices: Int = 1_000_000,
    passwords: Int = 100_000
  ) {
    self.instances = instances
    self.nonces = nonces
    self.sequences = sequences
    self.devices = devices
    self.passwords = passwords
  }
}
