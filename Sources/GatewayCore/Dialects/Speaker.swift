/// The connection that a command arrived on, for a handler that carries out the command at once. Used only on its loop,
/// and only until the command is done.
package protocol Speaker: Sendable {
  var id: ConnectionID { get }

  /// Returns whether the connection is in the call's audience.
  func watches(_ call: CallID) -> Bool

  /// Adds the connection to the call's audience. Returns false if it watches the maximum number of calls.
  func watch(_ call: CallID) -> Bool

  /// Removes the connection from the call's audience.
  func unwatch(_ call: CallID)

  /// Sends a frame to the client.
  func answer(_ frame: Frame)

  /// Tells the client, in its dialect, that its command is refused.
  func refuse(_ error: GatewayError, _ request: RequestID?)
}
