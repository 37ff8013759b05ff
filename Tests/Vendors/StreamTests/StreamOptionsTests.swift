import GatewayCore
import GatewayKit
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStream

struct ServeStreamTests {
  private func options(_ words: [String]) throws -> StreamVideoSettings {
    try StreamVendor.settings(words, .test())
  }

  private func complaint(_ words: [String]) throws -> String { StreamVendor.complaint(words, try .test()) }

  @Test
  func `no flag is needed, any API key is accepted, and expiry is as the vendor's page says`() throws {
    let settings = try options([])
    _ = try settings.applications.application("anything")
    #expect(settings.leeway == .zero && settings.expiry == StreamExpiry() && settings.limits == nil)
    #expect(settings.expiry.sendsError && settings.expiry.delay == .zero && settings.expiry.closeCode == 4001)
    #expect(settings.calls == StreamCallPolicy() && settings.calls.makesUnknownUsers && !settings.admitsAnonymousToChat)
    #expect(settings.calls.types == ["default", "audio_room", "livestream", "development"])
    #expect(settings.guestLife == nil && settings.app == StreamAppSettings())
  }

  @Test
  func `every flag reaches its setting`() throws {
    let settings = try options([
      "--stream-leeway", "2s", "--stream-expiry-close-code", "4000", "--stream-expiry-delay", "3s",
      "--stream-expiry-silent", "--stream-guest-life", "1h", "--stream-no-guests", "--stream-no-auth-checks",
      "--stream-rate-limit-scale", "0.5",
    ])
    #expect(settings.leeway == .seconds(2) && settings.expiry.closeCode == 4000)
    #expect(settings.expiry.delay == .seconds(3) && !settings.expiry.sendsError)
    #expect(settings.guestLife == .seconds(3600))
    #expect(settings.app.disablesGuestCreation && settings.app.disablesAuthChecks)
    #expect(settings.limits?.userPerMinute == 30)
    #expect(try options(["--stream-rate-limits"]).limits == StreamLimits())
    let bounded = try options([
      "--stream-guests-per-address-per-minute", "20000", "--stream-guest-rest", "5m", "--stream-users-bytes-max",
      "5000",
      "--stream-calls-bytes-max", "6000",
    ])
    #expect(bounded.guests.perAddressPerMinute == 20_000 && bounded.guests.perLoopbackPerMinute == 20_000)
    #expect(bounded.guests.rest == .seconds(300))
    #expect(bounded.usersBytesMax == 5000 && bounded.callLimits.bytes == 6000)
    let words = ["--stream-call-type", "meeting", "--stream-refuse-unknown-members", "--stream-chat-anonymous"]
    let open = try options(words)
    #expect(open.calls.types == StreamCallPolicy.builtInTypes.union(["meeting"]) && !open.calls.makesUnknownUsers)
    #expect(open.admitsAnonymousToChat)
    #expect(try options(["--stream-any-call-type", "--stream-call-type", "meeting"]).calls.types == nil)
  }

  @Test
  func `the SFU is the gateway's own, also at another address or with other times, or an external one, or none`() throws
  {
    #expect(try options([]).calls.sfu == StreamSFUPolicy() && options(["--stream-sfu", "own"]).calls.sfu != nil)
    let own = try options([
      "--stream-sfu-address", "https://calls.example", "--stream-sfu-token-life", "2m", "--stream-sfu-return", "0s",
      "--stream-sfu-anonymous",
    ]).calls.sfu
    #expect(own?.address == "https://calls.example" && own?.tokenLife == .seconds(120))
    #expect(own?.returnWindow == .zero && own?.admitsAnonymous == true)
    #expect(try options(["--stream-sfu-refuse-anonymous"]).calls.sfu?.admitsAnonymous == false)
    #expect(try complaint(["--stream-sfu-anonymous", "--stream-sfu-refuse-anonymous"]).contains("exclude each other"))
    #expect(try options(["--stream-sfu", "off"]).calls.sfu == nil)
    let elsewhere = try options(["--stream-sfu", "https://sfu.example:8443"]).calls
    #expect(elsewhere.sfu == nil && elsewhere.sfuURL == "https://sfu.example:8443/twirp")
    #expect(elsewhere.sfuSocket == "wss://sfu.example:8443/ws")
    let named = try options(["--stream-sfu-url", "http://a/t", "--stream-sfu-socket", "ws://b/w"]).calls
    #expect(named.sfu == nil && named.sfuURL == "http://a/t" && named.sfuSocket == "ws://b/w")
  }

  @Test
  func `each API key has its own secret, or they share one, or share the gateway's`() throws {
    let (one, two) = (try TemporaryFile("one"), try TemporaryFile("two"))
    let pairs = try options([
      "--stream-api-key", "a", "--stream-api-key", "b", "--stream-secret-file", one.path, "--stream-secret-file",
      two.path,
    ])
    let token = StreamTokenIssuer(signer: try pairs.applications.application("b").signer).mint(
      user: UserID("ann"), kind: .regular, issuedAt: WallTime(seconds: 1), expiresAt: nil, calls: nil
    ).token
    func reads(_ key: String) -> Bool {
      guard let application = try? pairs.applications.application(key) else { return false }
      return (try? StreamToken(token, of: application, key: key, at: WallTime(seconds: 1), leeway: .zero)) != nil
    }
    #expect(reads("b") && !reads("a") && !reads("c"))
    let shared = try options(["--stream-api-key", "a", "--stream-api-key", "b", "--stream-secret-file", one.path])
    _ = try shared.applications.application("b")
    #expect(throws: StreamError.self) { try shared.applications.application("c") }
  }

  @Test(arguments: [
    (["--stream-expiry-close-code", "1006"], "no close frame may carry it"),
    (["--stream-expiry-close-code", "2000"], "no close frame may carry it"),
    (["--stream-expiry-close-code", "x"], "from 1000 to 4999"),
    (["--stream-api-key", "a", "--stream-api-key", "a"], "given twice"),
    (["--stream-api-key", ""], "must not be empty"),
    (["--stream-secret-file", "/nowhere"], "--stream-secret-file: '/nowhere' does not exist"),
    (["--stream-rate-limit-scale", "0"], "from 0.001"),
    (["--stream-call-type", "a b"], "letters, digits"),
    (["--stream-guests-per-address-per-minute", "0"], "from 1"),
    (["--stream-sfu", "sfu.example"], "as https://calls.example"),
    (["--stream-sfu", "https://sfu.example/ws"], "no / last"),
    (["--stream-sfu", "own", "--stream-sfu-url", "http://a/t"], "name two places"),
    (["--stream-sfu", "off", "--stream-sfu-anonymous"], "clients are sent elsewhere"),
    (["--stream-sfu-address", "ftp://calls.example"], "as https://calls.example"),
    (["--stream-sfu-token-life", "0s"], "1s or more"),
  ])
  func `an invalid flag is refused, and the error names what would be right`(words: [String], expected: String) throws {
    #expect(try complaint(words).contains(expected))
  }

  @Test
  func `a number of secrets that is neither one nor the number of keys is refused`() throws {
    let file = try TemporaryFile("secret")
    let words = ["--stream-secret-file", file.path, "--stream-secret-file", file.path, "--stream-api-key", "a"]
    #expect(try complaint(words).contains("as often as --stream-api-key"))
  }
}
