package import GatewayCore

/// A fault of the login or of a refresh, which fails even if the token is valid, e.g. with 401 instead of the 101.
package protocol LoginFault: Fault {
  /// The affected use: login or refresh.
  var use: TokenUse { get }

  /// Whether it fails instead of the 101.
  var isBeforeUpgrade: Bool { get }

  /// Returns the response to the client, in the wire's format.
  func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse

  /// The failure after the 101.
  var failure: LoginFailure { get }
}

/// The way in which a login or a refresh fails on an open connection, e.g. by close code 3003 without a message.
package struct LoginFailure: Hashable, Sendable {
  /// The message to the client before the end.
  package enum Words: Hashable, Sendable {
    /// The error in the wire's usual form.
    case usual
    case none
    case frame(Frame)
  }

  package var error: GatewayError
  package var words = Words.usual
  /// The end of the connection; nil for the wire's own.
  package var ending: Ending?

  package init(_ error: GatewayError, words: Words = .usual, ending: Ending? = nil) {
    self.error = error
    self.words = words
    self.ending = ending
  }
}
