/// An observer of one dialect's logins, from their beginning to their end: it takes ann out of her calls when she has gone,
/// say. Shared by all loops, so immutable.
package protocol ConnectionObserver: Sendable {
  /// Whether ``connectionBegan(_:on:)`` wants to be told.
  var hearsBeginnings: Bool { get }

  /// The connection is logged in. Starts on its loop, once for each login; what the connection asks for waits for its end.
  nonisolated(nonsending) func connectionBegan(_ caller: Caller, on services: any GatewayServices) async

  /// The connection, which was logged in, is closing or gone, or its user has logged out: it hears and says nothing more
  /// as that user. Starts on its loop, once for each login, when every command that came in before has been done.
  nonisolated(nonsending) func connectionEnded(
    _ caller: Caller, _ ending: ConnectionEnding, on services: any GatewayServices
  ) async
}

// What holds for an observer that says nothing else.

extension ConnectionObserver {
  package var hearsBeginnings: Bool { false }
  package nonisolated(nonsending) func connectionBegan(_ caller: Caller, on services: any GatewayServices) async {}
}

/// The end of a user's time on a connection: by a logout, after which bob may log in on it, or by a close with 1001,
/// for instance.
package enum ConnectionEnding: Hashable, Sendable {
  /// The user logged out; the connection goes on, and may log in again.
  case loggedOut
  /// The gateway closed the connection.
  case closed(CloseReason)
  /// The peer closed it with that code; 1005 if it named none (RFC 6455 section 7.1.5).
  case peerClosed(UInt16)
  /// The transport ended without a close frame.
  case lost
}
