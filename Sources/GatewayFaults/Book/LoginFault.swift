package import GatewayCore

/// A fault of the login, or of a refresh, which fails however good the token is: with 401 in place of the 101, for
/// instance.
package protocol LoginFault: Fault {
  /// Which of the two it is.
  var use: TokenUse { get }

  /// Whether it fails in place of the 101.
  var isBeforeUpgrade: Bool { get }

  /// What the client is told then, in the words of its wire.
  func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse

  /// How it fails behind the 101.
  var failure: LoginFailure { get }
}

/// The way in which a login, or a refresh, fails on an open connection: without a word, by close code 3003, for
/// instance.
package struct LoginFailure: Hashable, Sendable {
  /// The words that the client is told before the end: the error in its wire's usual form, for instance.
  package enum Words: Hashable, Sendable {
    /// The error, as its wire has it.
    case usual
    case none
    case frame(Frame)
  }

  package var error: GatewayError
  package var words = Words.usual
  /// Nil for the wire's own.
  package var ending: Ending?

  package init(_ error: GatewayError, words: Words = .usual, ending: Ending? = nil) {
    self.error = error
    self.words = words
    self.ending = ending
  }
}
