import GatewayCore
import Testing

struct IPAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("::", "::"), ("::1", "::1"),
    ("2001:DB8::7", "2001:db8::7"), ("2001:db8:0:0:0:0:0:7", "2001:db8::7"), ("1::", "1::"),
    ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::ffff:203.0.113.7", "203.0.113.7"),
    ("::ffff:cb00:7107", "203.0.113.7"),
    ("64:ff9b::203.0.113.7", "64:ff9b::cb00:7107"), ("fe80::1%eth0", "fe80::1"), ("0:0:0:0:0:0:0:0", "::"),
  ])
  func `IP addresses are read in every form and written in the shortest`(text: String, written: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == written)
    #expect(IPAddress(written) == address)
  }

  @Test(arguments: [
    "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.-4", "1.2.3. 4", "0x7f.0.0.1", "127.1", ":", ":::",
    "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::", "::1.2.3", "1.2.3.4::",
    "[::1]", "::1:", ":1::", "::+1", "\u{661}.0.0.1", "::ffff:1.2.3.4:5", "unknown", "_hidden",
    String(repeating: "1:", count: 1000),
  ])
  func `other texts are no IP address`(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test
  func `a loopback address is known to stay on the machine`() throws {
    for text in ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"] {
      #expect(try #require(IPAddress(text)).isLoopback, "\(text)")
    }
    for text in ["128.0.0.1", "0.0.0.0", "::", "::2", "1::1", "::ffff:10.0.0.1"] {
      #expect(try !#require(IPAddress(text)).isLoopback, "\(text)")
    }
  }
}
