import Foundation
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayTokens
import TestSupport
import Testing

@testable import postern

struct TokenCommandTests {
  private let now = WallTime(seconds: 1_700_000_000)
  private let secret = "a secret of more than thirty-two bytes"

  private func arguments(_ command: any postern.Command.Type, _ words: [String]) throws -> Arguments {
    try Arguments(
      words, flags: command.flags, environment: ["POSTERN_SECRET": secret], operands: !command.operands.isEmpty,
      among: Postern.commands)
  }

  private func mint(_ words: String...) throws -> String {
    try TokenMintCommand.mint(try arguments(TokenMintCommand.self, words), at: now)
  }

  private func verify(_ token: String, _ words: String...) throws -> (text: String, isValid: Bool) {
    try TokenVerifyCommand.verify(token, try arguments(TokenVerifyCommand.self, words), at: now)
  }

  /// Returns the usage error of minting with these flags.
  private func mistake(_ words: String...) -> String {
    do {
      _ = try TokenMintCommand.mint(try arguments(TokenMintCommand.self, words), at: now)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `a minted token has the requested claims`() throws {
    let token = try UnverifiedToken(
      try mint(
        "--user", "ann", "--kind", "guest", "--life", "90s", "--call", "default:a", "--call", "default:b", "--issuer",
        "us",
        "--audience", "them", "--typ", "at+jwt", "--key-id", "k1", "--claim", "level=3", "--claim", "name=Ann B"))
    #expect(token.header.text == #"{"alg":"HS256","typ":"at+jwt","kid":"k1"}"#)
    #expect(
      token.payload.text
        == #"{"user_id":"ann","kind":"guest","iat":1700000000,"exp":1700000090,"iss":"us","aud":"them","#
        + #""call_cids":["default:a","default:b"],"level":3,"name":"Ann B"}"#)
  }

  @Test
  func `inspect and verify show exp in milliseconds as written, and call it beyond the year 9999`() throws {
    let signer = try JWTSigner(.secret(Array(secret.utf8)))
    let odd = signer.sign(Array(#"{"user_id":"ann","iat":1700000000,"exp":1700000060000}"#.utf8))
    let words = "1700000060000 is beyond the year 9999: milliseconds?"
    let shown = try TokenInspectCommand.inspect(odd, json: false, at: now)
    #expect(shown.contains(words) && shown.contains("2023-11-14T22:14:20Z (in 60 s)") && !shown.contains("2262"))
    let object = try JSONDocument.parse(try TokenInspectCommand.inspect(odd, json: true, at: now)).root
    #expect(object["caveats"]?.element(0)?.string?.hasPrefix("exp \(words)") == true)
    let (text, isValid) = try verify(odd)
    #expect(isValid && text.contains("caveat") && text.contains(words) && !text.contains("2262"))
    let json = try JSONDocument.parse(try verify(odd, "--json").text).root
    #expect(json["expires_at"]?.text == "1700000060000" && json["caveats"]?.count == 1)
    // The last second of the year 9999 is a date like any other.
    for (exp, isOdd) in [
      ("253402300799", false), ("253402300800", true), ("9223372036854775807", true), ("1e300", true),
    ] {
      let token = signer.sign(Array(#"{"user_id":"ann","exp":\#(exp)}"#.utf8))
      #expect(try TokenInspectCommand.inspect(token, json: false, at: now).contains("milliseconds?") == isOdd, "\(exp)")
    }
  }

  @Test
  func `a token lives an hour, until a time, or for ever`() throws {
    func expiry(_ token: String) throws -> String? { try UnverifiedToken(token).payload["exp"]?.text }
    #expect(try expiry(try mint("--user", "ann")) == "1700003600")
    #expect(try expiry(try mint("--user", "ann", "--expires", "1800000000")) == "1800000000")
    #expect(try expiry(try mint("--user", "ann", "--expires", "never")) == nil)
    #expect(try expiry(try mint("--user", "ann", "--issued-at", "1600000000", "--life", "1m")) == "1600000060")
  }

  @Test
  func `a given claim replaces a default one, so that a bad token can be made on purpose`() throws {
    let token = try mint("--user", "ann", "--claim", #"exp="soon""#)
    #expect(try UnverifiedToken(token).payload["exp"]?.string == "soon")
    let (text, isValid) = try verify(token)
    #expect(!isValid && text == "refused by the check of exp: exp must be a number (401012 claim_invalid)")
  }

  @Test
  func `a token that cannot be minted is reported plainly`() {
    #expect(mistake().contains("--user"))
    #expect(mistake("--user", "ann", "--kind", "anonymous").contains("!anon"))
    #expect(mistake("--user", "!anon", "--kind", "regular").contains("!anon"))
    #expect(mistake("--kind", "anonymous").contains("--call"))
    #expect(mistake("--kind", "anonymous", "--call", "a:b", "--expires", "never").contains("expiry"))
    #expect(mistake("--user", "ann", "--call", "nonsense").contains("type:id"))
    #expect(mistake("--user", "ann", "--life", "10").contains("10m"))
    #expect(mistake("--user", "ann", "--life", "10s", "--expires", "1").contains("both given"))
    #expect(mistake("--user", "ann", "--expires", "tomorrow").contains("tomorrow"))
    #expect(mistake("--user", "ann", "--claim", "nothing").contains("NAME=VALUE"))
    #expect(mistake("--user", "ann", "--claim", "a=1", "--claim", "a=2").contains("twice"))
    #expect(mistake("--user", "ann", "--algorithm", "none").contains("HS256"))
    #expect(mistake("--user", String(repeating: "x", count: 256)).contains("255"))
  }

  @Test
  func `a short secret is refused without being shown, unless it is allowed`() throws {
    let refusal = mistake("--user", "ann", "--secret", "hunter2")
    #expect(refusal.contains("32") && !refusal.contains("hunter2"))
    #expect(throws: Never.self) { try mint("--user", "ann", "--secret", "hunter2", "--allow-short-secret") }
  }

  @Test
  func `a good token is verified, for a person and for a machine`() throws {
    let token = try mint("--kind", "anonymous", "--call", "default:a", "--life", "1m")
    let text = try verify(token)
    #expect(text.isValid && text.text.hasPrefix("valid: anonymous user !anon\n") && text.text.contains("default:a"))
    let json = try JSONDocument.parse(try verify(token, "--json").text).root
    #expect(json["valid"]?.bool == true && json["user_id"]?.string == "!anon" && json["kind"]?.string == "anonymous")
    #expect(json["issued_at"]?.integer == 1_700_000_000 && json["expires_at"]?.integer == 1_700_000_060)
    #expect(json["call_cids"]?.text == #"["default:a"]"#)
    #expect(json["fingerprint"]?.string == TokenFingerprint(of: token).description)
  }

  @Test
  func `a refusal names its check`() throws {
    func check(_ token: String, _ words: String...) throws -> String? {
      let arguments = try arguments(TokenVerifyCommand.self, words + ["--json"])
      let (text, isValid) = try TokenVerifyCommand.verify(token, arguments, at: now)
      let answer = try JSONDocument.parse(text).root
      #expect(!isValid && answer["valid"]?.bool == false && !text.contains(token))
      #expect(answer["error"]?["number"]?.integer.map { $0 / 1000 } == 401)
      return answer["check"]?.string
    }
    let good = try mint("--user", "ann")
    #expect(try check(try mint("--user", "ann", "--secret", "another secret of thirty-two bytes")) == "signature")
    #expect(try check(try mint("--user", "ann", "--issued-at", "1600000000")) == "exp")
    #expect(try check(good, "--issuer", "us") == "iss")
    #expect(try check(good, "--audience", "us") == "aud")
    #expect(try check(good, "--typ", "at+jwt") == "typ")
    #expect(try check(good, "--algorithm", "HS384", "--secret", String(repeating: secret, count: 2)) == "alg")
    #expect(try check(try mint("--user", "ann", "--expires", "never"), "--require-expiry") == "exp")
    #expect(try check("nonsense") == "segments")
  }

  @Test
  func `inspect decodes without a key, says that nothing was verified, and shows the fingerprint`() throws {
    let token = try mint("--user", "ann", "--life", "10m")
    let text = try TokenInspectCommand.inspect(token, json: false, at: now)
    #expect(text.hasPrefix("NOT VERIFIED"))
    #expect(text.contains("2023-11-14T22:23:20Z (in 10 min)") && text.contains("2023-11-14T22:13:20Z"))
    let json = try JSONDocument.parse(try TokenInspectCommand.inspect(token, json: true, at: now)).root
    #expect(json["verified"]?.bool == false && json["payload"]?["user_id"]?.string == "ann")
    #expect(json["fingerprint"]?.string == TokenFingerprint(of: token).description)
    #expect(throws: TokenError.notThreeSegments) { try TokenInspectCommand.inspect("x.y", json: false, at: now) }
  }

  @Test
  func `inspect knows an opaque access token, which says nothing`() throws {
    let token = AccessToken.mint(from: Secrets(seed: 1)).token
    #expect(try TokenInspectCommand.inspect(token, json: false, at: now).contains("opaque"))
    let json = try JSONDocument.parse(try TokenInspectCommand.inspect(token, json: true, at: now)).root
    #expect(json["opaque"]?.bool == true && json["well_formed"]?.bool == true)
  }

  @Test
  func `inspect names all schemes that a token may belong to`() throws {
    let text = try TokenInspectCommand.inspect(try mint("--user", "ann"), json: false, at: now)
    #expect(text.contains("\na user's token, of ") && text.contains(" or \(Vendors.all[0].title)\n"))
    let guest = try TokenInspectCommand.inspect(try mint("--user", "g", "--kind", "guest"), json: false, at: now)
    #expect(guest.contains("a token of the plain scheme"))
  }

  @Test
  func `another scheme's flags are refused on the command line, and ignored in the environment`() throws {
    #expect(mistake("--scheme", "morse", "--user", "ann").contains("expected one of plain, "))
    for flag in Vendors.all.dropFirst().flatMap({ $0.tokens.mintFlags }) {
      let words = ["--user", "ann", "--\(flag.name)"] + (flag.value == nil ? [] : ["x"])
      #expect(throws: UsageError("--\(flag.name) has no effect with --scheme plain; leave it out")) {
        try TokenMintCommand.mint(try arguments(TokenMintCommand.self, words), at: now)
      }
      let environment = ["POSTERN_SECRET": secret, flag.environmentName: "x"]
      _ = try TokenMintCommand.mint(
        try Arguments(
          ["--user", "ann"], flags: TokenMintCommand.flags, environment: environment, operands: false,
          among: Postern.commands), at: now)
    }
  }
}
