import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayProcess
import GatewayTokens

/// The command `postern token verify`: it verifies a token as the gateway does, and names the check that failed.
enum TokenVerifyCommand: Command {
  static let name = "token verify"
  static let summary = "verify a token, naming the check that fails"
  static let operands = "[TOKEN]"
  static let example = "postern token mint --user ann --secret-file secret | postern token verify --secret-file secret"

  static let sections =
    [
      FlagSection("the token", [TokenScheme.flag] + VerifyDraft.flags(ofUsers: schemesWithUser)),
      FlagSection("keys", TokenKeys.flags),
      FlagSection("what it must say", TokenKeys.policyFlags),
    ] + Vendors.sections { $0.tokens.verifyFlags }
  static let neededFirst = [
    "scheme", "user", "secret-file", "key-file", "algorithm", "issuer", "audience", "leeway", "at", "json",
  ]

  private static var schemesWithUser: String {
    Vendors.all.filter { !$0.tokens.unusedInVerifying.contains("user") }.map { $0.scheme }.joined(separator: ", ")
  }

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let now = try VerifyDraft(arguments).time ?? SystemTime.now
    let (text, isValid) = try verify(try TokenInput.read(arguments), arguments, at: now)
    Output.line(text)
    return isValid ? 0 : 1
  }

  /// Returns the verdict on a token of the scheme that the flags name, and whether it is valid.
  static func verify(_ token: String, _ arguments: Arguments, at now: WallTime) throws -> (text: String, isValid: Bool)
  {
    let json = try VerifyDraft(arguments).printsJSON
    let vendor = try TokenScheme.read(arguments) { $0.tokens.verifyFlags }
    var report = try vendor.verify(token, arguments, at: now)
    if let payload = try? UnverifiedToken(token).payload {
      report = report.saying(doubts: TokenInspectCommand.doubts(about: payload), about: payload)
    }
    return (json ? report.json : report.text { SystemTime.text($0, from: now) }, report.isValid)
  }
}
