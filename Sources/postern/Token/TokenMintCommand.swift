import GatewayCore
import GatewayKit
import GatewayProcess

/// The command `postern token mint`: it makes a token.
enum TokenMintCommand: Command {
  static let name = "token mint"
  static let summary = "make a token for a user"
  static let example = "postern token mint --user ann --life 10m --secret-file secret"

  static let sections =
    [FlagSection("the token", [TokenScheme.flag] + MintDraft.flags(notes)), FlagSection("keys", TokenKeys.flags)]
    + Vendors.sections { $0.tokens.mintFlags }
  static let neededFirst = [
    "scheme", "user", "kind", "life", "expires", "call", "claim", "secret-file", "key-file", "algorithm",
  ]

  /// Returns the vendors' additions to the help of a flag.
  private static func notes(_ flag: String) -> String {
    Vendors.all.map { vendor in vendor.tokens.notes[flag].map { "; \(vendor.scheme): \($0)" } ?? "" }.joined()
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    Output.line(try mint(arguments, at: SystemTime.now))
    return 0
  }

  /// Returns the token of the flags, minted at `now`.
  static func mint(_ arguments: Arguments, at now: WallTime) throws -> String {
    try TokenScheme.read(arguments) { $0.tokens.mintFlags }.mint(arguments, at: now)
  }
}
