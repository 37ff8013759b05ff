/// An observer of the logins of one dialect, from their beginning to their end. All loops share it, so it is immutable.
package protocol ConnectionObserver: Sendable {
  /// Whether the gateway calls ``connectionBegan(_:on:)``.
  var hearsBeginnings: Bool { get }

  /// Handles the login of a connection. Starts on the connection's loop, once for each login. The connection's commands
  /// wait until it returns.
  nonisolated(nonsending) func connectionBegan(_ caller: Caller, on services: any GatewayServices) async

  /// Handles the end of a login: the connection is closing or closed, or its user has logged out. Starts on the
  /// connection's loop, once for each login, after all earlier commands are done.
  nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async
}

// The defaults of an observer.

extension ConnectionObserver {
  package var hearsBeginnings: Bool { false }
  package nonisolated(nonsending) func connectionBegan(_ caller: Caller, on services: any GatewayServices) async {}
}

/// The end of a user's login on a connection.
package enum ConnectionEnding: Hashable, Sendable {
  /// The user logged out; the connection stays open, and may log in again.
  case loggedOut
  /// The gateway closed the connection.
  case closed(CloseReason)
  /// The peer closed the connection with that code; 1005 if it named none (RFC 6455 section 7.1.5).
  case peerClosed(UInt16)
  /// The transport ended without a close frame.
  case lost
}
