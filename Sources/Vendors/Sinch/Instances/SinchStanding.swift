internal import GatewayCore

/// The notes on a connection: who started, and why they were asked for credentials; ann's phone, whose registration has
/// expired, for instance.
struct SinchStanding: Hashable, Sendable {
  var device: SinchDevice
  /// The instance that the connection lives by.
  var instance: Name?
  /// Why credentials were asked for, while that is not answered.
  var asked: SinchCredentialsReason?
}
