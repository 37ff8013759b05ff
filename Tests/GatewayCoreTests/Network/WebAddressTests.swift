import GatewayCore
import Testing

struct WebAddressTests {
  @Test
  func `a web address is taken apart as in RFC 3986`() throws {
    let whole = try #require(WebAddress("WSS://ann:secret@Gateway.Example:8443/ws%20x/y?a=/?b#c?d"))
    #expect(whole.scheme == "wss" && whole.host == "gateway.example" && whole.port == 8443)
    #expect(whole.path == "/ws%20x/y" && whole.query == "a=/?b" && whole.hasUser && whole.hasFragment)
    let bare = try #require(WebAddress("http://[::1]"))
    #expect(bare.host == "::1" && bare.port == nil && bare.path == "" && bare.query == nil)
    #expect(!bare.hasUser && !bare.hasFragment)
    #expect(WebAddress("ws://127.0.0.1:8080?x")?.query == "x")
    #expect(WebAddress("ws://host?")?.query == "")
    #expect(WebAddress("ws://host/@")?.hasUser == false)
  }

  @Test(arguments: [
    "", ":", "//host", "host", "ws:host", "ws:/host", "ws://", "ws:///path", "ws://@", "ws://host:port",
    "ws://host:65536",
    "1ws://host", "ws://a b", "ws://host/\u{E9}", "ws://host/%zz", "ws://host/%4", "ws://host/\n", "ws://[::1",
    "ws://[x]",
    "ws://host/\"", "ws://::1", "ws://a:1:2",
  ])
  func `a web address without a scheme or a host, or with forbidden characters, is refused`(text: String) {
    #expect(WebAddress(text) == nil)
  }
}
