import Foundation
import GatewayCore
import GatewayKit
import GatewayProcess
import GatewayRuntime
import GatewaySpace
import TestSupport
import Testing

@testable import postern

struct ServeOptionsTests {
  private func options(_ words: [String]) throws -> ServeOptions {
    try ServeOptions(
      try Arguments(words, flags: ServeFlags.all, environment: [:], operands: false, among: Postern.commands))
  }

  private func complaint(_ words: [String]) -> String {
    do {
      _ = try options(words)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test
  func `serve needs no option, and then has loopback, a random secret and the documented times`() throws {
    let options = try options([])
    #expect(options.settings.hosts == ["127.0.0.1", "::1"] && options.settings.skipsMissingHosts)
    #expect(options.settings.port == 8080 && options.settings.controlPort == 8081)
    #expect(options.hasRandomSecret)
    #expect(options.settings.space.configuration.session.refreshTimeout == .seconds(60))
    #expect(options.settings.controlSecret == nil)
  }

  @Test
  func `every flag of the session reaches its policy`() throws {
    let options = try options([
      "--login-timeout", "3s", "--refresh-timeout", "2s", "--any-refresh-timeout", "--refresh-lead", "30s",
      "--refresh-spread", "10s", "--revocation", "close", "--ping-interval", "0", "--pong-timeout", "4s", "--origin",
      "https://a.example", "--echo",
    ])
    let policy = options.settings.space.configuration.session
    #expect(policy.loginTimeout == .seconds(3) && policy.refreshTimeout == .seconds(2))
    #expect(policy.refreshLead == .seconds(30) && policy.refreshSpread == .seconds(10))
    #expect(policy.revocation == .close)
    #expect(options.settings.space.configuration.pingInterval == nil)
    #expect(options.settings.space.configuration.pongTimeout == .seconds(4))
    #expect(options.settings.space.configuration.allowedOrigins == ["https://a.example"])
    #expect(options.settings.space.configuration.offersEcho)
  }

  @Test(arguments: [
    (["--refresh-timeout", "59s"], "60 to 1800 s"),
    (["--control-host", "0.0.0.0"], "give --control-secret-file"),
    (["--host", "0.0.0.0"], "give --provider-secret-file"),
    (["--tls-key", "k"], "given together"),
    (["--secret", "short"], "unless short secrets are allowed explicitly (--allow-short-secret)"),
    (["--secret", "a", "--secret-file", "b"], "remove one"),
    (["--secret-file", "/nowhere"], "--secret-file: '/nowhere' does not exist"),
    (["--algorithm", "none"], "expected HS256"),
    (["--revocation", "maybe"], "expected refresh or close"),
    (["--provider-failure-rate", "2"], "a share"),
    (["--previous-secret-file", "/nowhere"], "does not exist"),
    (["--loops", "0"], "from 1 to 256"),
    (["--key-file", "/tmp"], "--key-file: '/tmp' is a directory; expected a file"),
    (["--tls-certificate", "/tmp", "--tls-key", "/nowhere"], "--tls-certificate: '/tmp' is a directory"),
  ])
  func `an invalid option of serve is refused, and the error names what would be right`(
    words: [String], expected: String
  ) {
    #expect(complaint(words).contains(expected))
  }

  @Test(arguments: ["https://app.example", "http://[::1]:3000", "app://-", "null"])
  func `origins are taken as browsers send them`(text: String) throws {
    #expect(try options(["--origin", text]).settings.space.configuration.allowedOrigins == [text])
  }

  @Test(arguments: [
    "app.example", "https://app.example/", "https://app.example/page", "https://App.example",
    "https://app.example:443",
    "http://app.example:80", "https://app.example:", "https://*.example", "*", "https://", "://app.example", "",
    "null ",
  ])
  func `an origin that no browser sends is refused, since it would admit nobody`(text: String) {
    #expect(
      complaint(["--origin", text]) == "--origin: '\(text)' is wrong; expected an origin as browsers send it, "
        + "as https://app.example or http://localhost:3000")
  }

  @Test
  func `an invalid setting is refused with its place in the file, or its variable`() throws {
    let file = try TemporaryFile("{\n  \"refresh-timeout\": \"5s\",\n  \"tls-key\": \"k\"\n}")
    func complaint(_ words: [String], _ environment: [String: String]) throws -> String {
      let arguments = try Arguments(
        words, flags: ServeFlags.all, environment: environment, operands: false, among: Postern.commands)
      do {
        _ = try ServeOptions(arguments)
        return ""
      } catch let error as UsageError {
        return "\(arguments.located(error))"
      }
    }
    #expect(try complaint(["--config", file.path], [:]).contains("(--refresh-timeout is set by \(file.path):2:22)"))
    #expect(
      try complaint(["--config", file.path, "--refresh-timeout", "60s"], [:])
        .contains("(--tls-key is set by \(file.path):3:14)"))
    let variables = ["POSTERN_CONTROL_HOST": "0.0.0.0"]
    #expect(try complaint([], variables).contains("(--control-host is set by POSTERN_CONTROL_HOST)"))
    #expect(!(try complaint(["--refresh-timeout", "5s"], [:]).contains("is set by")))
  }

  @Test
  func `a complaint about a secret never says the secret`() {
    #expect(!complaint(["--secret", "hush-hush"]).contains("hush-hush"))
  }

  @Test
  func `a public key verifies, and guests and the provider get a secret of the gateway's own`() throws {
    let file = try TemporaryFile(
      #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)
    #expect(try options(["--key-file", file.path]).hasRandomSecret)
  }
}
