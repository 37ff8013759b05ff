internal import GatewayCore

/// The notes on a connection: its device and instance, and why credentials were requested.
struct SinchStanding: Hashable, Sendable {
  var device: SinchDevice
  /// The instance of the connection.
  var instance: Name?
  /// The reason of the open request for credentials.
  var asked: SinchCredentialsReason?
}
