import GatewayCore
import Testing

struct AuthorityTests {
  @Test(arguments: [
    ("localhost", "localhost", nil), ("LocalHost:8080", "localhost", 8080), ("127.0.0.1:1", "127.0.0.1", 1),
    ("[::1]", "::1", nil), ("[::1]:443", "::1", 443), ("a-b_c.example.:80", "a-b_c.example.", 80),
    ("example:", "example", nil), ("%41", "%41", nil),
  ])
  func `hosts with ports are read`(text: String, host: String, port: Int?) throws {
    let authority = try #require(Authority(text))
    #expect(authority.host == host && authority.port == port)
  }

  @Test(arguments: [
    "", ":80", "a b", "a:b", "a:80:90", "a:65536", "a:+80", "a:123456", "user@host", "http://a", "a/b", "a?b", "[::1",
    "::1", "[]", "[127.0.0.1]", "[fe80::1%25eth0]", "[::1]80", "[::1]x:80", "caf\u{e9}", "a,b:1,2", "a\u{0}", "a\"b",
  ])
  func `other texts are no host with a port`(text: String) {
    #expect(Authority(text) == nil)
  }

  @Test
  func `hosts of HTTP addresses are found with the scheme`() throws {
    let found = try #require(Authority.ofAddress("HTTPS://App.Example:8443/x?y#z"))
    #expect(found.scheme == "https" && found.authority == Authority("app.example:8443"))
    for text in ["null", "", "http://", "https:///x", "ftp://a", "a", "http:/a", "file:///etc"] {
      #expect(Authority.ofAddress(text) == nil, "\(text)")
    }
  }
}
