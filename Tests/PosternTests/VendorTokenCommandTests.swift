import Foundation
import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

@testable import postern

@Suite("postern token, the vendors' schemes")
struct VendorTokenCommandTests {
  private let now = WallTime(seconds: 1_700_000_000)
  /// The vendors give out secrets of any length.
  private let secret = "hunter2"

  private func arguments(_ command: any postern.Command.Type, _ words: [String]) throws -> Arguments {
    try Arguments(
      words, flags: command.flags, environment: ["POSTERN_SECRET": secret], operands: !command.operands.isEmpty)
  }

  private func mint(_ scheme: String, _ words: String...) throws -> String {
    try TokenMintCommand.mint(try arguments(TokenMintCommand.self, ["--scheme", scheme] + words), at: now)
  }

  private func payload(_ token: String) throws -> String { try UnverifiedToken(token).payload.text }

  private func verify(_ scheme: String, _ token: String, _ words: String...) throws -> (text: String, isValid: Bool) {
    try TokenVerifyCommand.verify(
      token, try arguments(TokenVerifyCommand.self, ["--scheme", scheme] + words), at: now)
  }

  /// The check and the code that a token is refused with.
  private func refusal(_ scheme: String, _ token: String, _ words: String...) throws -> [String] {
    let words = ["--scheme", scheme, "--json"] + words
    let (text, isValid) = try TokenVerifyCommand.verify(
      token, try arguments(TokenVerifyCommand.self, words), at: now)
    let answer = try JSONDocument.parse(text).root
    #expect(!isValid && answer["valid"]?.bool == false && !text.contains(token))
    return [answer["check"]?.string ?? "", answer["error"]?["code"]?.text ?? ""]
  }

  private func inspect(_ token: String) throws -> String {
    try TokenInspectCommand.inspect(token, json: false, at: now)
  }

  private func mistake(_ scheme: String, _ words: String...) -> String {
    do {
      _ = try TokenMintCommand.mint(try arguments(TokenMintCommand.self, ["--scheme", scheme] + words), at: now)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  // MARK: Stream

  @Test("each kind of Stream's tokens has its claims, and is taken for what it is")
  func stream() throws {
    let kinds: [(words: [String], payload: String, nature: String)] = [
      (["--user", "ann"], #"{"user_id":"ann","iat":1700000000,"exp":1700003600}"#, "a token of user ann"),
      (
        ["--user", "ann", "--call", "default:a", "--life", "10m"],
        #"{"user_id":"ann","iat":1700000000,"exp":1700000600,"call_cids":["default:a"]}"#,
        "a call token of user ann"
      ),
      (
        ["--user", "g", "--kind", "guest"],
        #"{"user_id":"g","iat":1700000000,"exp":1700003600,"role":"guest"}"#, "a token of user g"
      ),
      (
        ["--kind", "anonymous", "--call", "default:a", "--life", "1500ms"],
        #"{"user_id":"!anon","iat":1700000000,"exp":1700000002,"call_cids":["default:a"]}"#,
        "a call token of user !anon"
      ),
      (["--kind", "server"], #"{"server":true,"iat":1700000000}"#, "a server's token"),
      (["--kind", "server-empty"], "{}", "a server's token"),
      (
        ["--user", "ann", "--role", "admin", "--no-issued-at", "--expires", "never"],
        #"{"user_id":"ann","role":"admin"}"#, "a token of user ann"
      ),
    ]
    for (words, claims, nature) in kinds {
      let token = try TokenMintCommand.mint(
        try arguments(TokenMintCommand.self, ["--scheme", "stream-video"] + words), at: now)
      #expect(try payload(token) == claims)
      let verdict = try verify("stream-video", token)
      #expect(verdict.isValid && verdict.text.hasPrefix("valid: \(nature)\n"), "\(verdict.text)")
    }
  }

  @Test("a development token is signed by nobody, and good only where nobody checks")
  func development() throws {
    let token = try mint("stream-video", "--kind", "development", "--user", "ann")
    #expect(token.hasSuffix(".devtoken"))
    #expect(try payload(token) == #"{"user_id":"ann"}"#)
    #expect(try refusal("stream-video", token) == ["signature", "43"])
    #expect(try verify("stream-video", token, "--no-auth-checks").text.contains("a development token of user ann"))
    #expect(try inspect(token).contains("a Stream development token"))
  }

  @Test("a refusal names Stream's code and the check")
  func streamRefusals() throws {
    let good = try mint("stream-video", "--user", "ann")
    #expect(try refusal("stream-video", good, "--user", "bob") == ["user_id", "5"])
    #expect(try refusal("stream-video", good, "--secret", "other") == ["signature", "43"])
    #expect(try refusal("stream-video", "nonsense") == ["segments", "5"])
    let late = try mint("stream-video", "--user", "ann", "--issued-at", "1600000000")
    #expect(try refusal("stream-video", late) == ["exp", "40"])
    let early = try mint("stream-video", "--user", "ann", "--issued-at", "1700000005")
    #expect(try refusal("stream-video", early) == ["iat", "42"])
    #expect(try verify("stream-video", early, "--leeway", "10s").isValid)
    let later = try mint("stream-video", "--user", "ann", "--claim", "nbf=1700000100")
    #expect(try refusal("stream-video", later) == ["nbf", "41"])
    let wrong = try mint("stream-video", "--user", "ann", "--claim", #"exp="soon""#)
    #expect(try refusal("stream-video", wrong) == ["exp", "5"])
    #expect(
      try verify("stream-video", late).text.contains("code 40, status 401, JWTAuth error: token is expired (exp)"))
  }

  @Test("what cannot be minted for Stream is said plainly")
  func streamMistakes() {
    #expect(mistake("stream-video").contains("--user"))
    #expect(mistake("stream-video", "--kind", "anonymous").contains("--call"))
    #expect(mistake("stream-video", "--kind", "anonymous", "--user", "ann", "--call", "a:b").contains("!anon"))
    #expect(mistake("stream-video", "--user", "ann", "--call", "a:b", "--expires", "never").contains("needs an end"))
    #expect(mistake("stream-video", "--kind", "server", "--user", "ann").contains("--user says nothing"))
    #expect(mistake("stream-video", "--kind", "access", "--user", "ann").contains("development"))
    #expect(mistake("stream-video", "--user", "ann", "--issuer", "us").contains("--issuer says nothing"))
    #expect(mistake("stream-video", "--user", "ann", "--no-issued-at", "--issued-at", "1").contains("both given"))
    #expect(mistake("plain", "--user", "ann", "--role", "x").contains("--role says nothing to --scheme plain"))
    #expect(mistake("morse", "--user", "ann").contains("sendbird"))
  }

  // MARK: Sendbird

  @Test("a session token has Sendbird's claims and length, and lives for a week")
  func sendbird() throws {
    let token = try mint("sendbird", "--user", "ann")
    #expect((119...168).contains(token.utf8.count))
    let claims = try UnverifiedToken(token).payload
    #expect(claims["v"]?.integer == 1 && claims["e"]?.integer == 1_700_604_800 && claims["u"]?.integer != nil)
    let verdict = try verify("sendbird", token, "--user", "ann")
    #expect(verdict.isValid && verdict.text.hasPrefix("valid: a session token of user ann\n"))
    let json = try JSONDocument.parse(try verify("sendbird", token, "--json").text).root
    #expect(json["expires_at"]?.integer == 1_700_604_800 && json["user_number"]?.integer == claims["u"]?.integer)
    #expect(try inspect(token).contains("a Sendbird session token"))
    #expect(try inspect(token).contains("(in 7 d)"))
  }

  @Test("a refusal of a session token has Sendbird's one code for all of them, and names the check")
  func sendbirdRefusals() throws {
    let token = try mint("sendbird", "--user", "ann")
    #expect(try refusal("sendbird", token, "--user", "bob") == ["u", "400302"])
    #expect(try refusal("sendbird", token, "--secret", "other") == ["signature", "400302"])
    #expect(try refusal("sendbird", try mint("sendbird", "--user", "a", "--expires", "1600000000")) == ["e", "400302"])
    #expect(try refusal("sendbird", try mint("stream-video", "--user", "ann")) == ["v", "400302"])
    #expect(throws: UsageError.self) { try verify("sendbird", String(repeating: "ab", count: 20)) }
  }

  @Test("what cannot be minted for Sendbird is said plainly")
  func sendbirdMistakes() {
    #expect(mistake("sendbird").contains("--user"))
    #expect(mistake("sendbird", "--user", String(repeating: "x", count: 81)).contains("80"))
    #expect(mistake("sendbird", "--user", "ann", "--expires", "never").contains("has an end"))
    #expect(mistake("sendbird", "--user", "ann", "--kind", "access").contains("issue_access_token"))
    #expect(mistake("sendbird", "--user", "ann", "--kind", "guest").contains("all alike"))
    #expect(mistake("sendbird", "--user", "ann", "--call", "a:b").contains("--call says nothing"))
  }

  @Test("inspect names a token without a key, by its form")
  func natures() throws {
    #expect(try inspect(try mint("stream-video", "--user", "ann")).contains("a user's token"))
    #expect(try inspect(try mint("stream-video", "--kind", "server")).contains("a Stream server token"))
    #expect(try inspect(try mint("stream-video", "--kind", "server-empty")).contains("as the Python SDK writes it"))
    #expect(
      try inspect(try mint("stream-video", "--user", "ann", "--call", "a:b")).contains("a call token"))
    #expect(try inspect(String(repeating: "0f", count: 20)).contains("a Sendbird access token"))
    #expect(try inspect(String(repeating: "0f", count: 24)).contains("a Sendbird session key"))
    let json = try TokenInspectCommand.inspect(try mint("sendbird", "--user", "ann"), json: true, at: now)
    #expect(try JSONDocument.parse(json).root["nature"]?.string == "a Sendbird session token")
  }
}
