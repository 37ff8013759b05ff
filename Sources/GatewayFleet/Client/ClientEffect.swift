package import GatewayCore

/// An order of a client's machine to whoever runs it: ask the provider for a token, for instance.
package enum ClientEffect: Hashable, Sendable {
  /// Ask the provider for a token; the answer is to carry the number.
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

/// The purpose of a token that is wanted: to answer a refresh request, for the second time, for instance.
package enum FetchPurpose: Hashable, Sendable {
  case login
  /// To answer a refresh request, for the `call`-th time (from 1).
  case refresh(call: Int)
  /// The same, asked in a way that a provider refuses.
  case hopelessRefresh
  /// A new session key, from the gateway.
  case sessionKey
}

/// An entry of a client for the fleet's ledger: it was refreshed, 120 ms after it was asked, for instance.
package enum ClientRecord: Hashable, Sendable {
  case connecting
  case connected(after: Duration, again: Bool)
  case connectFailed(String)
  case asked
  /// Asked while it was still busy with an earlier request.
  case askedAgain
  case answered
  /// The `number`-th refresh of this client, from 1.
  case refreshed(after: Duration, number: Int)
  case refreshRefused(String)
  /// A renewal was accepted so long before the end of the token of before; negative after it.
  case margin(Duration)
  /// The gateway ended a connection, whose token's end was known: whether well before that.
  case endedKnowing(isEarly: Bool)
  /// The client will not answer the request, for this reason.
  case gaveUp(String)
  /// The connection ended, and not by the storm's will; whether the refresh that was due ran out of time.
  case lost(String, isExpected: Bool, timedOut: Bool)
  /// The connection ended, and the client is on its way back.
  case interrupted(String)
  /// It tries to connect again.
  case reconnecting
  /// The gateway refused it on its way back; whether with the token that it had before.
  case returnRefused(String, isOldToken: Bool)
  /// An attempt to come back failed without a word from the gateway.
  case returnFailed(String)
  /// It is back, so long after the connection ended and with so many attempts.
  case returned(after: Duration, attempts: Int)
  /// The connection ended by the storm's will.
  case left
  case error(String)
}
