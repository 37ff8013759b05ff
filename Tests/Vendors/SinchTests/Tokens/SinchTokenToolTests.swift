import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayTokens
import TestSupport
import Testing

@testable import GatewaySinch

struct SinchTokenToolTests {
  private let now = WallTime(seconds: 1_743_501_600.5)
  private let key = "d404a4d3-51cf-45e2-bc32-e294ae879d58"
  private var commands: TokenCommands {
    TokenCommands(SinchVendor.self, secret: "oYdgGRXoxEuJhGDY2KQ/HQ==", at: now)
  }

  private func mint(_ words: String...) throws -> String {
    try commands.mint(["--application", key, "--user", "alice"] + words)
  }

  private func verify(_ token: String, _ words: String..., at now: WallTime? = nil) throws -> TokenReport {
    try commands.verify(token, words, at: now)
  }

  @Test
  func `a minted registration token is verified, and shows the requested values`() throws {
    let token = try mint("--registration-life", "72h", "--life", "2m", "--nonce", "n1")
    let claims = try UnverifiedToken(token).payload
    #expect(claims["iat"]?.integer == 1_743_501_600 && claims["exp"]?.integer == 1_743_501_720)
    #expect(claims["sinch:rtc:instance:exp"]?.integer == 1_743_760_800)
    #expect(claims["nonce"]?.string == "n1")
    let report = try verify(token, "--user", "alice", "--application", key)
    #expect(report.isValid && report.headline == "valid: a registration token of user alice in application \(key)")
    #expect(report.text { String($0.seconds) }.hasSuffix("\nregistration  ends 1743760800.0"))
    #expect(commands.nature(token) == .own("a Sinch registration token"))
  }

  @Test
  func `a refusal names the check, and the gateway's settings are accepted`() throws {
    let token = try mint()
    #expect(try verify(token, "--user", "bob").headline.hasPrefix("refused by the check of user_mismatch"))
    #expect(try verify(token, at: now + .seconds(661)).headline.hasPrefix("refused by the check of expired"))
    #expect(try verify(token, "--sinch-clock-skew", "10m", at: now + .seconds(661)).isValid)
    #expect(try verify(token, "--sinch-token-life-max", "5m").json.contains(#""check":"ttl_too_long""#))
    #expect(try verify("a.b.c").json.contains(#""check":"malformed""#))
  }

  @Test
  func `lives shorter than the vendor's minimum are refused, unless the token allows any life`() throws {
    let words = ["--life", "30s", "--registration-life", "1h"]
    let held = try mint(words[0], words[1], words[2], words[3])
    #expect(try verify(held).headline.hasPrefix("refused by the check of ttl_too_short"))
    #expect(try verify(held, "--sinch-token-life-min", "1s").headline.contains("instance_ttl_too_short"))
    #expect(try verify(mint(words[0], words[1], words[2], words[3], "--any-life")).isValid)
    #expect(throws: UsageError.self) { try mint("--form", "ticket", "--any-life") }
  }

  @Test
  func `signatures and tickets are the published ones`() throws {
    let signature = try mint("--form", "signature", "--sequence", "1")
    #expect(signature == "b+GI8y4HyMPdksOMuk0tOpM3RRs=")
    let words = ["--user", "alice", "--application", key, "--sequence"]
    #expect(try verify(signature, words[0], words[1], words[2], words[3], words[4], "1").isValid)
    #expect(try !verify(signature, words[0], words[1], words[2], words[3], words[4], "2").isValid)
    let ticket = try mint("--form", "ticket", "--issued-at", "1743501600")
    #expect(ticket.hasSuffix(":hamqPJonGcx9hSq8fG6DelPRdU8o1tIIzl8UsIu6KE0="))
    #expect(try verify(ticket).json.contains(#""form":"ticket","user_id":"alice""#))
    #expect(SinchVendor.tokens.nature(ofOpaque: ticket)?.hasPrefix("a Sinch user ticket") == true)
  }

  @Test
  func `flags that mean nothing to the scheme or the form are refused`() {
    #expect(
      commands.mistake("--user", "alice", "--call", "a:b") == "--call has no effect with --scheme sinch; leave it out")
    #expect(
      commands.mistake("--user", "alice", "--sequence", "1") == "--sequence has no effect with --form jwt; leave it out"
    )
    #expect(commands.mistake("--user", "alice", "--form", "signature").contains("--sequence is missing"))
    #expect(commands.mistake("--user", "alice", "--expires", "never").contains("has an end"))
    let ticket = commands.mistake("--user", "alice", "--form", "ticket", "--any-life")
    #expect(ticket.contains("no effect with --form ticket"))
  }

  @Test
  func `serve accepts the vendor's flags, and names the wrong part of an invalid one`() throws {
    let file = try TemporaryFile("oYdgGRXoxEuJhGDY2KQ/HQ==")
    let settings = try SinchVendor.settings(
      [
        "--sinch-application", "k=\(file.path)", "--sinch-errors", "production", "--sinch-legacy", "off",
        "--sinch-user",
        "ann=\(file.path)", "--sinch-token-life-max", "5m", "--sinch-nonce-replay", "same-device",
      ], .test())
    #expect(!settings.explains && !settings.offersLegacy && settings.passwords["ann"] != nil)
    #expect(settings.tokens.tokenLifeMax == .seconds(300) && settings.tokens.nonceReplay == .sameDevice)
    let usual = try SinchVendor.settings([], .test())
    #expect(usual.explains && usual.offersLegacy && usual.tokens == SinchTokenPolicy())
    for (words, expected) in [
      (["--sinch-user", "ann=/nowhere"], "--sinch-user: '/nowhere' does not exist"),
      (["--sinch-user", "ann"], "--sinch-user: 'ann' is wrong; expected a name, = and a file"),
      (["--sinch-application", "k/=\(file.path)"], "expected a key of letters, digits, - and _, = and a file"),
      (["--sinch-errors", "some"], "--sinch-errors: 'some' is wrong; expected explain or production"),
      (["--sinch-nonce-replay", "x"], "expected reject or same-device or allow"),
    ] {
      #expect(SinchVendor.complaint(words, try .test()).contains(expected))
    }
  }
}
