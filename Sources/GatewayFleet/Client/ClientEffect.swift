package import GatewayCore

/// An action that a client's state machine requests from the code that runs it.
package enum ClientEffect: Hashable, Sendable {
  /// Ask the provider for a token; the answer must have the same number.
  case fetch(number: UInt32, FetchPurpose)
  /// Open a socket to the gateway.
  case dial
  case send(ClientMessage)
  /// Send a ping of RFC 6455.
  case ping
  /// Send a close frame, or drop the socket if it is not open yet.
  case close
  case record(ClientRecord)
}

/// The purpose for which a client asks for a token.
package enum FetchPurpose: Hashable, Sendable {
  case login
  /// Answers a refresh request, for the `call`-th time (from 1).
  case refresh(call: Int)
  /// The same, in a form that the provider refuses.
  case hopelessRefresh(call: Int)
  /// A new session key, or the renewal of the open connection, from the gateway.
  case sessionKey

  var isHopeless: Bool { if case .hopelessRefresh = self { true } else { false } }
}

/// An entry in the fleet's ledger about one client.
package enum ClientRecord: Hashable, Sendable {
  case connecting
  case connected(after: Duration, again: Bool)
  case connectFailed(String)
  /// The storm ended before the first attempt to log in had succeeded or failed.
  case unfinished
  case asked
  /// A refresh request that arrived while the client was still busy with an earlier one.
  case askedAgain
  case answered
  /// The `number`-th refresh of this client, from 1.
  case refreshed(after: Duration, number: Int)
  case refreshRefused(String)
  /// The time from the accepted renewal to the end of the previous token; negative if it was accepted after that end.
  case margin(Duration)
  /// The gateway ended a connection with a known token end; `isEarly` if it did so well before that end.
  case endedKnowing(isEarly: Bool)
  /// The client will not answer the request, for this reason.
  case gaveUp(String)
  /// The connection ended, and the storm did not end it; `timedOut` if the pending refresh ran out of time.
  case lost(String, isExpected: Bool, timedOut: Bool)
  /// The connection ended, and the client will come back.
  case interrupted(String)
  /// The client tries to connect again.
  case reconnecting
  /// The gateway refused a returning client; `isOldToken` if the client showed the token that it had before.
  case returnRefused(String, isOldToken: Bool)
  /// An attempt to come back failed without an answer from the gateway.
  case returnFailed(String)
  /// The client is back; the time since the connection ended, and the number of attempts.
  case returned(after: Duration, attempts: Int)
  /// The storm ended the connection.
  case left
  case error(String)
}
