package import GatewayCore
package import GatewayTokens

/// A vendor's tokens for `postern token mint|inspect|verify`. The commands know vendors only through this protocol.
package protocol TokenTool: Sendable {
  /// The flags of `mint`, and of `verify`, that only these tokens have.
  var mintFlags: [Flag] { get }
  var verifyFlags: [Flag] { get }

  /// The flags of every scheme that have no meaning for these tokens, by name.
  var unusedInMinting: [String] { get }
  var unusedInVerifying: [String] { get }

  /// The texts that the help of `mint` adds to the flags of every scheme, by name.
  var notes: [String: String] { get }

  /// The claims that are times, besides `exp`, `nbf` and `iat`.
  var dates: [String] { get }

  /// Returns the flags of `mint` with their values for a token that is issued at `issuedAt` and valid until `end`. A
  /// nil `end` means for ever, or as long as these tokens can last.
  func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)]

  /// Returns the token that the flags ask for. The draft has the flags of every scheme.
  func mint(_ draft: MintDraft, _ arguments: Arguments, at now: WallTime) throws -> String

  /// Returns the result of the check that a gateway with the keys of the flags would make.
  func verify(
    _ token: String, _ draft: VerifyDraft, _ arguments: Arguments, at now: WallTime
  ) throws -> TokenReport

  /// Returns the kind of a text that is no JWT, judged by its form; nil if it is none of these tokens.
  func nature(ofOpaque token: String) -> String?

  /// Returns the kind of a JWT, as far as it is visible without a key; nil if it is none of these tokens.
  func nature(of token: UnverifiedToken, _ text: String) -> TokenNature?
}

// Defaults.

extension TokenTool {
  package var mintFlags: [Flag] { [] }
  package var verifyFlags: [Flag] { [] }
  package var unusedInMinting: [String] { [] }
  package var unusedInVerifying: [String] { [] }
  package var notes: [String: String] { [:] }
  package var dates: [String] { [] }
  package func nature(ofOpaque token: String) -> String? { nil }

  /// Returns the flags in whole seconds, the resolution of most tokens.
  package func lifeFlags(from issuedAt: WallTime, until end: WallTime?) -> [(name: String, text: String)] {
    [("issued-at", issuedAt.secondsBefore), ("expires", end?.secondsBehind ?? "never")]
  }
}

extension WallTime {
  /// The time rounded down to whole seconds since 1970, as flags take it.
  package var secondsBefore: String { String(Int64((Double(nanoseconds) / 1e9).rounded(.down))) }

  /// The time rounded up to whole seconds; rounded down if it is at most 5 ms past one, since a journal omits those.
  package var secondsBehind: String { String(Int64((Double(nanoseconds) / 1e9 - 0.005).rounded(.up))) }
}

/// The kind of a token, as far as it is visible without a key.
package enum TokenNature: Hashable, Sendable {
  /// A token of this vendor alone: "a ticket".
  case own(String)
  /// A token of a form that other vendors use too, without the vendor's name, which is appended: "a user's token".
  case shared(String)
}
