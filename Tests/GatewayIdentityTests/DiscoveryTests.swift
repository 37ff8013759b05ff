import GatewayCore
import GatewayRuntime
import TestSupport
import Testing

@testable import GatewayIdentity

@Suite(.timeLimit(.minutes(2)))
struct DiscoveryTests {
  private static let usual = "/.well-known/openid-configuration"

  /// Has the issuer answer with a discovery document at that path.
  private static func serve(
    _ issuer: VirtualIssuer, issuer name: String = VirtualIssuer.name, keys: String = VirtualIssuer.name + "/keys",
    at path: String = usual
  ) {
    issuer.answer = { [unowned issuer] request in
      switch request.path {
      case path: HTTPResponse(status: 200, body: Array("{\"issuer\":\"\(name)\",\"jwks_uri\":\"\(keys)\"}".utf8))
      case VirtualIssuer.keysPath: HTTPResponse(status: 200, body: issuer.keySet)
      default: HTTPResponse(status: 404)
      }
    }
  }

  @Test(arguments: [usual, "/.well-known/oauth-authorization-server"])
  func `the discovery document names the address of the keys, at either of its own addresses`(path: String) throws {
    let space = try IdentitySpace(VirtualIssuer(), discovers: true)
    Self.serve(space.issuer, at: path)
    #expect(space.begin() == nil)
    #expect(space.outcome(try space.issuer.token("k1")) == 0)
    // Read again with every tenth fetch of keys.
    space.advance(.seconds(660 * 25))
    let documents = space.issuer.requests.count { $0.path == path }
    #expect((3...4).contains(documents) && space.requestCount > 25, "\(documents) of \(space.requestCount)")
  }

  @Test(arguments: ["https://login.example/", "https://LOGIN.example", "https://other.example", ""])
  func `a document of another issuer ends the start, also if only a slash differs`(name: String) throws {
    let space = try IdentitySpace(VirtualIssuer(), discovers: true)
    Self.serve(space.issuer, issuer: name)
    let failure = try #require(space.begin())
    #expect(
      failure.description
        == "https://login.example says issuer \(name) in its discovery document; give that one")
    #expect(!space.fetched.isReady)
  }

  @Test(arguments: [
    "https://127.0.0.1/keys", "https://[::1]/keys", "https://169.254.169.254/latest", "https://10.0.0.7/keys",
    "https://[::ffff:192.168.0.1]/keys", "https://[fe80::1]/keys", "https://[fd00::1]/keys", "https://localhost/keys",
    "https://[64:ff9b::7f00:1]/keys", "https://100.64.0.1/keys", "https://0.0.0.0/keys",
  ])
  func `a document of an external issuer cannot point to an internal address`(keys: String) throws {
    let logs = LogKeeper()
    let space = try IdentitySpace(VirtualIssuer(), discovers: true, logs: logs)
    Self.serve(space.issuer, keys: keys)
    #expect(space.begin() == nil && !space.fetched.isReady)
    let reason = try #require(logs.all("jwks_failed").last?["error"])
    #expect(
      reason.hasSuffix("leads into an internal network, where only hosts of the command line are asked"), "\(reason)")
  }

  @Test
  func `a document that names keys over plain http ends the start`() throws {
    let space = try IdentitySpace(VirtualIssuer(), discovers: true)
    Self.serve(space.issuer, keys: "http://login.example/keys")
    let failure = try #require(space.begin())
    #expect(failure.isLasting && failure.description.hasSuffix("spoken to loopback only; give an https address"))
  }

  @Test(arguments: ["", "[]", "{}", "{\"issuer\":7}", "{\"issuer\":\"https://login.example\"}", "\u{1}"])
  func `an invalid discovery document is a failure, and is requested again`(body: String) throws {
    let logs = LogKeeper()
    let space = try IdentitySpace(VirtualIssuer(), discovers: true, logs: logs)
    space.issuer.answer = { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
    #expect(space.begin() == nil && !space.fetched.isReady)
    #expect(logs.all("jwks_failed").count > 2)
    Self.serve(space.issuer)
    space.advance(.seconds(31))
    #expect(space.fetched.isReady)
  }

  @Test
  func `an issuer with a path has the addresses of both standards`() throws {
    let found = try DiscoveryDocument.Kind.login.addresses(of: "https://login.example:8443/tenant/a/")
    #expect(
      found.map(\.text) == [
        "https://login.example:8443/tenant/a/.well-known/openid-configuration",
        "https://login.example:8443/.well-known/oauth-authorization-server/tenant/a",
      ])
  }

  @Test(arguments: [
    ("http://keys.example/keys", EndpointFault.plain), ("http://10.0.0.1/keys", .plain),
    ("ftp://keys.example", .noAddress),
    ("https://ann:pw@keys.example/keys", .hasUser), ("https://keys.example/#x", .hasFragment),
    ("keys.example", .noAddress),
    ("http://localhost.example/", .plain), ("http://127.0.0.1.example/", .plain), ("", .noAddress),
  ])
  func `an address that keys are not taken from is refused with its fault`(text: String, fault: EndpointFault) {
    #expect(throws: fault) { try EndpointAddress(text) }
  }

  @Test(arguments: [
    "http://127.0.0.1:9000/jwks.json", "http://[::1]/", "http://localhost/a?b=c", "https://keys.example",
  ])
  func `an address on loopback may be plain http, others are https`(text: String) throws {
    #expect(try EndpointAddress(text).text == text)
  }
}
