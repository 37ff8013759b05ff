import GatewayCore
import GatewayKit
import TestSupport
import Testing

@testable import GatewayStreem

struct StreemOptionsTests {
  private let now = WallTime(seconds: 1_800_000_000)
  private let forge: StreemForge
  private let file: TemporaryFile

  init() throws {
    forge = try StreemForge(id: "api_1")
    file = try TemporaryFile(forge.secret + "\n")
  }

  private var commands: TokenCommands { TokenCommands(StreemVendor.self, secret: nil, at: now) }

  private func mint(_ words: [String]) throws -> String {
    try commands.mint(["--streem-api-key", "api_1=\(file.path)"] + words)
  }

  private func verify(_ token: String, _ words: [String] = [], at time: WallTime? = nil) throws -> TokenReport {
    try commands.verify(token, ["--streem-api-key", "api_1=\(file.path)"] + words, at: time)
  }

  @Test
  func `minted tokens are verified, and inspect names their vendor`() throws {
    let token = try mint(["--user", "ann", "--life", "1h", "--name", "Ann", "--reservation", "rsv_1"])
    let report = try verify(token)
    #expect(
      report.text { String(Int($0.seconds)) } == """
        valid: user ann of api_1
        issued   1800000000
        starts a session until  1800000300
        stays logged in until   1800003600
        name     Ann
        reservation  rsv_1, not looked up
        """)
    #expect(report.isValid)
    #expect(
      report.json
        == #"{"valid":true,"scheme":"streem","api_key":"api_1","user_id":"ann","issued_at":1800000000,"#
        + #""expires_at":1800000300,"session_expires_at":1800003600}"#)
    #expect(commands.nature(token) == .own("a Streem Token"))
  }

  @Test
  func `a refusal names its reason`() throws {
    let token = try mint(["--user", "ann", "--start-life", "10m"])
    #expect(try verify(token, at: now + .seconds(659)).isValid)
    #expect(try verify(token, at: now + .seconds(660)).headline.hasPrefix("refused: expired"))
    #expect(try verify(token, ["--streem-environment", "dev"]).headline.hasPrefix("refused: aud_invalid"))
    let stranger = try StreemForge(id: "api_1").token(at: now)
    let report = try verify(stranger.token)
    #expect(!report.isValid && report.json.contains(#""reason":"bad_signature""#))
  }

  @Test
  func `meaningless flags and invalid keys are refused`() throws {
    #expect(throws: UsageError.self) { try mint(["--user", "ann", "--kind", "guest"]) }
    #expect(throws: UsageError.self) { try mint(["--user", "ann", "--secret", "x"]) }
    #expect(throws: UsageError.self) { try mint(["--user", "ann", "--expires", "never"]) }
    #expect(throws: UsageError.self) { try mint([]) }
    #expect(commands.mistake("--user", "ann", "--streem-api-key", "api_1").contains("the key's id, = and the file"))
    #expect(throws: UsageError.self) { try mint(["--user", "ann", "--streem-api-key", "api_1=\(file.path)"]) }
  }

  @Test
  func `serve accepts the vendor's flags, and names the wrong part of an invalid one`() throws {
    func streem(_ words: [String]) throws -> StreemSettings { try StreemVendor.settings(words, .test()) }
    let settings = try streem([
      "--streem-company", "acme", "--streem-api-key", "api_1=\(file.path)", "--streem-environment", "sandbox-us",
      "--streem-skew", "5s", "--streem-session-life", "1h", "--streem-invitation-life", "2h",
      "--streem-invitation-tries", "3", "--streem-invitation-tries-overall", "9", "--streem-landline-prefix", "+49",
      "--streem-unreachable-prefix", "+1", "--streem-oldest-sdk", "0.36.0",
    ])
    #expect(settings.homeCompany.code == "acme" && settings.apiKeys.map(\.id) == ["api_1"])
    #expect(settings.audience == "https://api.sandbox-us.streem.cloud/" && settings.skew == .seconds(5))
    #expect(settings.sessionLife == .seconds(3600) && settings.invitationLife == .seconds(7200))
    #expect(settings.tries.perAddress == 3 && settings.tries.overall == 9)
    #expect(settings.landlinePrefixes == ["+49"] && settings.unreachablePrefixes == ["+1"])
    #expect(try streem([]).homeCompany.code == "postern")
    for words in [
      ["--streem-company", "Acme"], ["--streem-environment", "a.b"], ["--streem-landline-prefix", "49"],
      ["--streem-oldest-sdk", "new"], ["--streem-api-key", "api_1=/nowhere"], ["--streem-invitation-life", "0s"],
    ] {
      #expect(throws: UsageError.self) { try streem(words) }
    }
  }
}
