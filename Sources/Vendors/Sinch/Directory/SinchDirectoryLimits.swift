/// The size limits of Sinch's directory.
struct SinchDirectoryLimits: Hashable, Sendable {
  var instances: Int = 1_000_000
  /// Instances of one user; a new one replaces the oldest.
  var instancesPerUser: Int = 100
  var nonces: Int = 1_000_000
  var sequences: Int = 1_000_000
  /// Devices remembered as limited; further ones are not remembered.
  var devices: Int = 1_000_000
  /// Unknown names that were tried with a password; some are displaced by others.
  var passwords: Int = 10_000
}
