package import GatewayCore
package import GatewayRuntime

/// An input of a client's state machine.
package enum ClientEvent: Hashable, Sendable {
  /// The client's turn to arrive.
  case start
  /// The provider's answer to the request of that number.
  case fetched(number: UInt32, ProviderAnswer)
  /// The dialled socket is open.
  case opened
  /// The dialled socket did not open.
  case dialFailed(DialFailure)
  case heard(ServerNotice)
  /// The end of its socket: the code of the close frame, nil if there was none, and its text.
  case closed(UInt16?, text: String? = nil)
  /// A deadline has passed, perhaps one that has moved since.
  case wakeUp
  /// The storm is over.
  case stop
}

/// An answer of the token provider, as a client's state machine receives it.
package enum ProviderAnswer: Hashable, Sendable {
  case token(Credentials)
  /// The provider is overloaded (429 or 503); `retryAfter` is the wait that it demanded, if any.
  case busy(status: Int, retryAfter: Duration?)
  /// The provider refuses to give this client a token.
  case refused(status: Int)
  /// The gateway refuses to give the client a session key; the number is its error code.
  case denied(number: Int)
  /// There was no answer, or none that could be read.
  case failed(String)

  /// A stable name of the outcome for the report.
  var reason: String {
    switch self {
    case .token: "token"
    case .busy(let status, _): "busy_\(status)"
    case .refused(let number), .denied(let number): "refused_\(number)"
    case .failed(let problem): problem
    }
  }
}
