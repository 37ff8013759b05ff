package import GatewayCore
package import GatewayTokens

/// The values of the flags of `postern token verify` that every scheme has.
package struct VerifyDraft: Sendable {
  package private(set) var user: UserID?
  /// The time of the check; nil for now.
  package private(set) var time: WallTime?
  /// The `typ` that the header must have.
  private var type: String?
  private var requiresExpiry = false
  package private(set) var printsJSON = false

  /// Returns the flags.
  ///
  /// - Parameter schemes: The schemes that use a user's name.
  package static func flags(ofUsers schemes: String = "") -> [Flag] { options(ofUsers: schemes).map(\.flag) }

  @OptionList<VerifyDraft>
  private static func options(ofUsers schemes: String) -> [Option<VerifyDraft>] {
    Option(
      "user", "ID", "the user that the token must belong to (\(schemes))", \.user,
      Reading<String>.text.map { name, _ in UserID(name) })
    Option(
      "at", "UNIX_S", "verify the token as of this time, in Unix seconds (default now)", \.time,
      Reading<Double>.number(-1e11...1e11).map { seconds, _ in WallTime(seconds: seconds) })
    Option("typ", "TYPE", "the typ that the token's header must have", \.type, .text)
    Option("require-expiry", "reject a token without an expiry (exp)", \.requiresExpiry)
    Option("json", "print one JSON object", \.printsJSON)
  }

  package init(_ arguments: Arguments) throws { try arguments.read(Self.options(ofUsers: ""), into: &self) }

  /// Adds what the flags demand to the policy for a JWT.
  package func policy(_ policy: TokenPolicy) -> TokenPolicy {
    var policy = policy
    policy.type = type
    policy.requiresExpiry = requiresExpiry
    return policy
  }
}
