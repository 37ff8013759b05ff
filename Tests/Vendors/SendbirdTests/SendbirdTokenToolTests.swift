import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayTokens
import TestSupport
import Testing

@testable import GatewaySendbird

struct SendbirdTokenToolTests {
  private let now = WallTime(seconds: 1_700_000_000)
  /// The vendor issues secrets of any length.
  private var commands: TokenCommands { TokenCommands(SendbirdVendor.self, secret: "hunter2", at: now) }

  private func mint(_ words: String...) throws -> String { try commands.mint(words) }

  private func verify(_ token: String, _ words: String...) throws -> TokenReport { try commands.verify(token, words) }

  private func refusal(_ token: String, _ words: String...) throws -> [String] {
    try commands.refusal(token, words)
  }

  @Test
  func `a session token has Sendbird's claims and length, and lives for a week`() throws {
    let token = try mint("--user", "ann")
    #expect((119...168).contains(token.utf8.count))
    let claims = try UnverifiedToken(token).payload
    #expect(claims["v"]?.integer == 1 && claims["e"]?.integer == 1_700_604_800 && claims["u"]?.integer != nil)
    let verdict = try verify(token, "--user", "ann")
    #expect(verdict.isValid && verdict.headline == "valid: a session token of user ann")
    let json = try JSONDocument.parse(try verify(token).json).root
    #expect(json["expires_at"]?.integer == 1_700_604_800 && json["user_number"]?.integer == claims["u"]?.integer)
    #expect(commands.nature(token) == .own("a Sendbird session token"))
  }

  @Test
  func `a refused session token gets Sendbird's only code for that, and the tool names the failed check`() throws {
    let token = try mint("--user", "ann")
    #expect(try refusal(token, "--user", "bob") == ["u", "400302"])
    #expect(try refusal(token, "--secret", "other") == ["signature", "400302"])
    #expect(try refusal(try mint("--user", "a", "--expires", "1600000000")) == ["e", "400302"])
    let other = try JWTSigner(.secret(Array("hunter2".utf8)), allowingShortSecret: true).sign(Array("{}".utf8))
    #expect(try refusal(other) == ["v", "400302"])
    #expect(throws: UsageError.self) { try verify(String(repeating: "ab", count: 20)) }
  }

  @Test
  func `an impossible token is reported plainly`() {
    #expect(commands.mistake().contains("--user"))
    #expect(commands.mistake("--user", String(repeating: "x", count: 81)).contains("80"))
    #expect(commands.mistake("--user", "ann", "--expires", "never").contains("has an end"))
    #expect(commands.mistake("--user", "ann", "--kind", "access").contains("issue_access_token"))
    #expect(commands.mistake("--user", "ann", "--kind", "guest").contains("all alike"))
    #expect(commands.mistake("--user", "ann", "--call", "a:b").contains("--call has no effect"))
  }

  @Test
  func `an opaque key is known by its form`() {
    let tool = SendbirdVendor.tokens
    #expect(tool.nature(ofOpaque: String(repeating: "0f", count: 20))?.hasPrefix("a Sendbird access token") == true)
    #expect(tool.nature(ofOpaque: String(repeating: "0f", count: 24))?.hasPrefix("a Sendbird session key") == true)
    #expect(tool.nature(ofOpaque: String(repeating: "0g", count: 20)) == nil && tool.nature(ofOpaque: "") == nil)
  }

  @Test
  func `serve's flags name the application, and without a name there is none`() throws {
    let words = ["--sendbird-app-id", "A", "--sendbird-new-users", "0", "--sendbird-plain-session-life", "0"]
    let settings = try SendbirdVendor.settings(words, .test())
    #expect(settings.applicationID == "A" && settings.newUsersPerMinuteMax == nil && settings.plainSessionLife == nil)
    #expect(settings.reconnectTries == -1 && settings.sessionLife == .seconds(600))
    #expect(SendbirdVendor.complaint(["--sendbird-app-id", ""], try .test()) == "--sendbird-app-id must not be empty")
    #expect(
      SendbirdVendor.complaint(["--sendbird-session-life", "0s"], try .test())
        == "--sendbird-session-life must be longer than 0 s")
    #expect(
      SendbirdVendor.complaint(["--sendbird-ping-interval", "1500ms"], try .test())
        == "--sendbird-ping-interval must be whole seconds, 1 s or more: clients are told so")
  }
}
