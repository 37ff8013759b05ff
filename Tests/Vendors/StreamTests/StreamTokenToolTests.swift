import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStream

struct StreamTokenToolTests {
  private let now = WallTime(seconds: 1_700_000_000)
  /// The vendor issues secrets of any length.
  private var commands: TokenCommands { TokenCommands(StreamVendor.self, secret: "hunter2", at: now) }

  private func mint(_ words: String...) throws -> String { try commands.mint(words) }

  private func verify(_ token: String, _ words: String...) throws -> TokenReport { try commands.verify(token, words) }

  private func refusal(_ token: String, _ words: String...) throws -> [String] {
    try commands.refusal(token, words)
  }

  @Test
  func `each kind of token has its claims, and is recognized`() throws {
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
      let token = try commands.mint(words)
      // `jti` distinguishes tokens of one second.
      #expect(try UnverifiedToken(token).payload.text.replacing(#/,"jti":"[0-9a-z]+-[0-9]+"/#, with: "") == claims)
      let verdict = try verify(token)
      #expect(verdict.isValid && verdict.headline == "valid: \(nature)")
    }
  }

  @Test
  func `a development token has no signature, and is valid only without verification`() throws {
    let token = try mint("--kind", "development", "--user", "ann")
    #expect(token.hasSuffix(".devtoken"))
    #expect(try UnverifiedToken(token).payload.text == #"{"user_id":"ann"}"#)
    #expect(try refusal(token) == ["signature", "43"])
    #expect(try verify(token, "--no-auth-checks").headline == "valid: a development token of user ann")
    #expect(commands.nature(token) == .own("a Stream development token: nobody signed it"))
  }

  @Test
  func `a refusal has the vendor's code and the check`() throws {
    let good = try mint("--user", "ann")
    #expect(try refusal(good, "--user", "bob") == ["user_id", "5"])
    #expect(try refusal(good, "--secret", "other") == ["signature", "43"])
    #expect(try refusal("nonsense") == ["segments", "5"])
    let late = try mint("--user", "ann", "--issued-at", "1600000000")
    #expect(try refusal(late) == ["exp", "40"])
    let early = try mint("--user", "ann", "--issued-at", "1700000005")
    #expect(try refusal(early) == ["iat", "42"])
    #expect(try verify(early, "--leeway", "10s").isValid)
    let later = try mint("--user", "ann", "--claim", "nbf=1700000100")
    #expect(try refusal(later) == ["nbf", "41"])
    let wrong = try mint("--user", "ann", "--claim", #"exp="soon""#)
    #expect(try refusal(wrong) == ["exp", "5"])
    #expect(
      try verify(late).headline.contains("code 40, status 401, JWTAuth error: token is expired (exp)"))
  }

  @Test
  func `an impossible token is reported plainly`() {
    #expect(commands.mistake().contains("--user"))
    #expect(commands.mistake("--kind", "anonymous").contains("--call"))
    #expect(commands.mistake("--kind", "anonymous", "--user", "ann", "--call", "a:b").contains("!anon"))
    #expect(commands.mistake("--user", "ann", "--call", "a:b", "--expires", "never").contains("needs an end"))
    #expect(commands.mistake("--kind", "server", "--user", "ann").contains("--user has no effect"))
    #expect(commands.mistake("--kind", "access", "--user", "ann").contains("development"))
    #expect(commands.mistake("--user", "ann", "--issuer", "us").contains("--issuer has no effect"))
    #expect(commands.mistake("--user", "ann", "--no-issued-at", "--issued-at", "1").contains("both given"))
  }

  @Test
  func `a token names its vendor, unless another scheme's could say the same`() throws {
    #expect(commands.nature(try mint("--user", "ann")) == .shared("a user's token"))
    #expect(commands.nature(try mint("--kind", "server")) == .own("a Stream server token"))
    #expect(
      commands.nature(try mint("--kind", "server-empty"))
        == .own("a Stream server token without claims, as the Python SDK writes it"))
    #expect(commands.nature(try mint("--user", "ann", "--call", "a:b")) == .shared("a call token"))
  }
}
