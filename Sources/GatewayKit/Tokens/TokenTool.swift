package import GatewayCore
package import GatewayTokens

/// A vendor's tokens as `postern token mint|inspect|verify` know them: who the plain JWTs are for, for instance. The
/// commands know no vendor but by this.
package protocol TokenTool: Sendable {
  /// The flags of `mint`, and of `verify`, that only these tokens have.
  var mintFlags: [Flag] { get }
  var verifyFlags: [Flag] { get }

  /// The flags of every scheme that say nothing to these tokens, by name.
  var unusedInMinting: [String] { get }
  var unusedInVerifying: [String] { get }

  /// What the help of `mint` adds to the flags of every scheme, by name.
  var notes: [String: String] { get }

  /// The claims that are times, beside `exp`, `nbf` and `iat`.
  var dates: [String] { get }

  /// The flags of `mint`, with what they are given, for a token that is issued at that time and lets its user stay until then;
  /// nil for ever, or for as long as these tokens last.
  func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)]

  /// The token that the flags ask for.
  func mint(_ arguments: Arguments, at now: WallTime) throws -> String

  /// What a gateway with the keys of the flags says of a token.
  func verify(_ token: String, _ arguments: Arguments, at now: WallTime) throws -> TokenReport

  /// What a text is that is no JWT, as far as its form says; nil if it is none of these tokens.
  func nature(ofOpaque token: String) -> String?

  /// What a JWT is, as far as it says without a key; nil if it is none of these tokens.
  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature?
}

// What holds for tokens about which nothing else is said.

extension TokenTool {
  package var mintFlags: [Flag] { [] }
  package var verifyFlags: [Flag] { [] }
  package var unusedInMinting: [String] { [] }
  package var unusedInVerifying: [String] { [] }
  package var notes: [String: String] { [:] }
  package var dates: [String] { [] }
  package func nature(ofOpaque token: String) -> String? { nil }

  /// In whole seconds, as most tokens are dated.
  package func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)] {
    [("issued-at", issuedAt.secondsBefore), ("expires", end?.secondsBehind ?? "never")]
  }
}

extension WallTime {
  /// The whole second before, since 1970, as flags take it.
  package var secondsBefore: String { String(Int64((Double(nanoseconds) / 1e9).rounded(.down))) }

  /// The whole second behind; that before, where only a few milliseconds of it have passed, which a journal leaves out.
  package var secondsBehind: String { String(Int64((Double(nanoseconds) / 1e9 - 0.005).rounded(.up))) }
}

/// The kind of a token, as far as it says without a key: a ticket of one vendor's form, for instance.
package enum TokenNature: Hashable, Sendable {
  /// One of this vendor's and nobody else's: "a ticket".
  case own(String)
  /// One of a form that others' have too, without whose it is, which follows: "a user's token".
  case shared(String)
}
