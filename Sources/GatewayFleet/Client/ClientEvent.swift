package import GatewayCore
package import GatewayRuntime

/// An input of a client's machine: the gateway asks for another token, for instance.
package enum ClientEvent: Hashable, Sendable {
  /// Its turn in the pace of arrivals.
  case start
  /// The provider's answer to the request of that number.
  case fetched(number: UInt32, ProviderAnswer)
  /// The socket it dialled is open.
  case opened
  /// The socket it dialled did not open.
  case dialFailed(DialFailure)
  case heard(ServerNotice)
  /// The end of its socket: the code of the close frame, nil if there was none, and its text.
  case closed(UInt16?, text: String? = nil)
  /// A deadline has passed, perhaps one that has moved since.
  case wakeUp
  /// The storm is over.
  case stop
}

/// An answer of the token provider, as a client's machine takes it: busy, with 429 and 5 s to stay away, for instance.
package enum ProviderAnswer: Hashable, Sendable {
  case token(Credentials)
  /// The provider is overloaded (429 or 503), and said how long to stay away or did not.
  case busy(status: Int, retryAfter: Duration?)
  /// The provider will not give this client a token.
  case refused(status: Int)
  /// The gateway will not give it a session key, and said why with this number.
  case denied(number: Int)
  /// There was no answer, or none that makes sense.
  case failed(String)

  /// What it came to, as a stable name for the report.
  var reason: String {
    switch self {
    case .token: "token"
    case .busy(let status, _): "busy_\(status)"
    case .refused(let number), .denied(let number): "refused_\(number)"
    case .failed(let problem): problem
    }
  }
}
