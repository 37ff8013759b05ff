/// The connection that a command came in on, as whoever does the command at once may use it: to join its user to a call,
/// say. Only on its loop, and only until the command has been done.
package protocol Speaker: Sendable {
  var id: ConnectionID { get }

  /// Whether it hears what is said to the call's audience.
  func watches(_ call: CallID) -> Bool

  /// Begins to hear it. False if it has as many calls as it may.
  func watch(_ call: CallID) -> Bool

  /// Hears it no more.
  func unwatch(_ call: CallID)

  /// Says something to the client.
  func answer(_ frame: Frame)

  /// Tells the client that its command is not done, in the words of its dialect.
  func refuse(_ error: GatewayError, _ request: RequestID?)
}
