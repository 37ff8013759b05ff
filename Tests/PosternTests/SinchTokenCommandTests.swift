import Foundation
import GatewayCore
import GatewayJSON
import GatewayTokens
import Testing

@testable import postern

@Suite("postern token --scheme sinch")
struct SinchTokenCommandTests {
  private let now = WallTime(seconds: 1_743_501_600.5)
  private let key = "d404a4d3-51cf-45e2-bc32-e294ae879d58"
  private let environment = ["POSTERN_SECRET": "oYdgGRXoxEuJhGDY2KQ/HQ=="]

  private func mint(_ words: String...) throws -> String {
    let words = ["--scheme", "sinch", "--application", key, "--user", "alice"] + words
    let arguments = try Arguments(
      words, flags: TokenMintCommand.flags, environment: environment, operands: false)
    return try TokenMintCommand.mint(arguments, at: now)
  }

  private func verify(_ token: String, _ words: String..., at now: WallTime? = nil) throws -> (
    text: String, isValid: Bool
  ) {
    let arguments = try Arguments(
      ["--scheme", "sinch"] + words, flags: TokenVerifyCommand.flags, environment: environment, operands: true)
    return try TokenVerifyCommand.verify(token, arguments, at: now ?? self.now)
  }

  @Test("a minted registration token is verified, and says what was asked for")
  func token() throws {
    let token = try mint("--registration-life", "72h", "--life", "2m", "--nonce", "n1")
    let claims = try UnverifiedToken(token).payload
    #expect(claims["iat"]?.integer == 1_743_501_600 && claims["exp"]?.integer == 1_743_501_720)
    #expect(claims["sinch:rtc:instance:exp"]?.integer == 1_743_760_800)
    #expect(claims["nonce"]?.string == "n1")
    let (text, isValid) = try verify(token, "--user", "alice", "--application", key)
    #expect(isValid && text.contains("a registration token of user alice in application \(key)"))
    #expect(try TokenInspectCommand.inspect(token, json: false, at: now).contains("a Sinch registration token"))
  }

  @Test("a refusal names the check, and the knobs of the gateway are taken")
  func refusals() throws {
    let token = try mint()
    #expect(try verify(token, "--user", "bob").text.hasPrefix("refused by the check of user_mismatch"))
    #expect(try verify(token, at: now + .seconds(661)).text.hasPrefix("refused by the check of expired"))
    #expect(try verify(token, "--sinch-clock-skew", "10m", at: now + .seconds(661)).isValid)
    #expect(try verify(token, "--sinch-token-life-max", "5m", "--json").text.contains(#""check":"ttl_too_long""#))
    #expect(try verify("a.b.c", "--json").text.contains(#""check":"malformed""#))
  }

  @Test("lives shorter than Sinch's least are refused, unless the token says that it is of any life")
  func anyLife() throws {
    let words = ["--life", "30s", "--registration-life", "1h"]
    let held = try mint(words[0], words[1], words[2], words[3])
    #expect(try verify(held).text.hasPrefix("refused by the check of ttl_too_short"))
    #expect(try verify(held, "--sinch-token-life-min", "1s").text.contains("instance_ttl_too_short"))
    #expect(try verify(mint(words[0], words[1], words[2], words[3], "--any-life")).isValid)
    #expect(throws: UsageError.self) { try mint("--form", "ticket", "--any-life") }
  }

  @Test("signatures and tickets are the published ones")
  func legacy() throws {
    let signature = try mint("--form", "signature", "--sequence", "1")
    #expect(signature == "b+GI8y4HyMPdksOMuk0tOpM3RRs=")
    let words = ["--user", "alice", "--application", key, "--sequence"]
    #expect(try verify(signature, words[0], words[1], words[2], words[3], words[4], "1").isValid)
    #expect(try !verify(signature, words[0], words[1], words[2], words[3], words[4], "2").isValid)
    let ticket = try mint("--form", "ticket", "--issued-at", "1743501600")
    #expect(ticket.hasSuffix(":hamqPJonGcx9hSq8fG6DelPRdU8o1tIIzl8UsIu6KE0="))
    #expect(try verify(ticket, "--json").text.contains(#""form":"ticket","user_id":"alice""#))
    #expect(try TokenInspectCommand.inspect(ticket, json: false, at: now).contains("a Sinch user ticket"))
  }

  @Test("flags that say nothing to the scheme or the form are refused")
  func strayFlags() {
    for words in [["--role", "admin"], ["--sequence", "1"], ["--form", "signature"], ["--expires", "never"]] {
      #expect(throws: UsageError.self) {
        _ = try TokenMintCommand.mint(
          try Arguments(
            ["--scheme", "sinch", "--user", "alice"] + words, flags: TokenMintCommand.flags, environment: environment,
            operands: false), at: now)
      }
    }
    #expect(throws: UsageError.self) {
      _ = try TokenMintCommand.mint(
        try Arguments(
          ["--user", "alice", "--nonce", "n"], flags: TokenMintCommand.flags,
          environment: ["POSTERN_SECRET": "a secret of more than thirty-two bytes"], operands: false), at: now)
    }
  }
}
