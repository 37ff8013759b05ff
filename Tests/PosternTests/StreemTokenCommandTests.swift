import GatewayCore
import GatewaySpace
import GatewayStreem
import PosternTesting
import TestSupport
import Testing

@testable import postern

@Suite("The token commands, for Streem")
struct StreemTokenCommandTests {
  private let now = WallTime(seconds: 1_800_000_000)
  private let forge: StreemForge
  private let file: TemporaryFile

  init() throws {
    forge = try StreemForge(id: "api_1")
    file = try TemporaryFile(forge.secret + "\n")
  }

  private func mint(_ words: [String]) throws -> String {
    let all = ["--scheme", "streem", "--streem-api-key", "api_1=\(file.path)"] + words
    return try TokenMintCommand.mint(
      try Arguments(all, flags: TokenMintCommand.flags, environment: [:], operands: false), at: now)
  }

  private func verify(_ token: String, _ words: [String] = [], at time: WallTime? = nil) throws -> (String, Bool) {
    let all = ["--scheme", "streem", "--streem-api-key", "api_1=\(file.path)"] + words
    return try TokenVerifyCommand.verify(
      token, try Arguments(all, flags: TokenVerifyCommand.flags, environment: [:], operands: true), at: time ?? now)
  }

  @Test("mint what they verify, and inspect says whose it is")
  func roundTrip() throws {
    let token = try mint(["--user", "ann", "--life", "1h", "--name", "Ann", "--reservation", "rsv_1"])
    let (text, isValid) = try verify(token)
    #expect(isValid && text.hasPrefix("valid: user ann of api_1\n") && text.contains("rsv_1, not looked up"))
    #expect(
      try verify(token, ["--json"]).0
        == #"{"valid":true,"scheme":"streem","api_key":"api_1","user_id":"ann","issued_at":1800000000,"#
        + #""expires_at":1800000300,"session_expires_at":1800003600}"#)
    #expect(try TokenInspectCommand.inspect(token, json: false, at: now).contains("a Streem Token"))
  }

  @Test("name the reason of a refusal")
  func refusals() throws {
    let token = try mint(["--user", "ann", "--start-life", "10m"])
    #expect(try verify(token, at: now + .seconds(659)).1)
    #expect(try verify(token, at: now + .seconds(660)).0.hasPrefix("refused: expired"))
    #expect(try verify(token, ["--streem-environment", "dev"]).0.hasPrefix("refused: aud_invalid"))
    let stranger = try StreemForge(id: "api_1").token(at: now)
    let (json, isValid) = try verify(stranger.token, ["--json"])
    #expect(!isValid && json.contains(#""reason":"bad_signature""#))
  }

  @Test("refuse flags that say nothing to them, and keys that are none")
  func misuse() throws {
    #expect(throws: UsageError.self) { try mint(["--user", "ann", "--kind", "guest"]) }
    #expect(throws: UsageError.self) { try mint(["--user", "ann", "--secret", "x"]) }
    #expect(throws: UsageError.self) { try mint(["--user", "ann", "--expires", "never"]) }
    #expect(throws: UsageError.self) { try mint([]) }
    let arguments = try Arguments(
      ["--scheme", "streem", "--user", "ann", "--streem-api-key", "api_1"], flags: TokenMintCommand.flags,
      environment: [:], operands: false)
    #expect(throws: UsageError.self) { try TokenMintCommand.mint(arguments, at: now) }
  }

  @Test("serve takes Streem's flags, and says what is wrong with one")
  func serve() throws {
    func options(_ words: [String]) throws -> ServeOptions {
      try ServeOptions(try Arguments(words, flags: ServeFlags.all, environment: [:], operands: false))
    }
    func streem(_ words: [String]) throws -> StreemSettings? {
      try options(words).settings.space.vendors.lazy.compactMap { $0 as? StreemSettings }.first
    }
    let settings = try #require(
      try streem([
        "--streem-company", "acme", "--streem-api-key", "api_1=\(file.path)", "--streem-environment", "sandbox-us",
        "--streem-skew", "5s", "--streem-session-life", "1h", "--streem-invitation-life", "2h",
        "--streem-invitation-tries", "3", "--streem-invitation-tries-overall", "9", "--streem-landline-prefix", "+49",
        "--streem-unreachable-prefix", "+1", "--streem-oldest-sdk", "0.36.0",
      ]))
    #expect(settings.homeCompany.code == "acme" && settings.apiKeys.map(\.id) == ["api_1"])
    #expect(settings.audience == "https://api.sandbox-us.streem.cloud/" && settings.skew == .seconds(5))
    #expect(settings.sessionLife == .seconds(3600) && settings.invitationLife == .seconds(7200))
    #expect(settings.tries.perAddress == 3 && settings.tries.overall == 9)
    #expect(settings.landlinePrefixes == ["+49"] && settings.unreachablePrefixes == ["+1"])
    #expect(try streem([])?.homeCompany.code == "postern")
    for words in [
      ["--streem-company", "Acme"], ["--streem-environment", "a.b"], ["--streem-landline-prefix", "49"],
      ["--streem-oldest-sdk", "new"], ["--streem-api-key", "api_1=/nowhere"], ["--streem-invitation-life", "0s"],
    ] {
      #expect(throws: UsageError.self) { try options(words) }
    }
  }
}
