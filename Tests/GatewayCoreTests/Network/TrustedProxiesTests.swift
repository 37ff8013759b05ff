import GatewayCore
import Testing

struct TrustedProxiesTests {
  private static func proxies(_ networks: String...) -> TrustedProxies {
    TrustedProxies(networks.compactMap { IPNetwork($0) })
  }

  private static let trusted = proxies("10.0.0.0/8", "127.0.0.1", "2001:db8:1::/48")

  private func client(_ field: String, _ value: String, from peer: String = "10.0.0.1") -> String {
    Self.trusted.client(of: [HTTPField("host", "x"), HTTPField(field, value)], from: peer)
  }

  @Test
  func `a network contains the addresses with its prefix`() throws {
    for (network, inside, outside) in [
      ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("10.0.0.1", "10.0.0.1", "10.0.0.2"), ("0.0.0.0/0", "9.9.9.9", "::1"),
      ("192.168.4.0/22", "192.168.7.255", "192.168.8.0"), ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
      ("::/0", "::1", "1.2.3.4"), ("::1/128", "::1", "::2"), ("::ffff:10.0.0.0/104", "10.9.9.9", "11.0.0.0"),
    ] {
      let network = try #require(IPNetwork(network))
      #expect(try network.contains(#require(IPAddress(inside))))
      #expect(try !network.contains(#require(IPAddress(outside))))
    }
    for text in [
      "", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/-1", "10.0.0.0/", "/8", "10/8", "::/129", "::1/64", "a/8",
      "10.0.0.0/8/8", "::ffff:10.0.0.0/8",
    ] {
      #expect(IPNetwork(text) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("203.0.113.7", "203.0.113.7"), ("1.1.1.1, 203.0.113.7", "203.0.113.7"), ("203.0.113.7, 10.0.0.9", "203.0.113.7"),
    ("1.1.1.1,203.0.113.7 ,\t10.0.0.9,10.9.9.9", "203.0.113.7"), ("10.0.0.2", "10.0.0.2"),
    ("203.0.113.7:4711", "203.0.113.7"),
    ("2001:db8::7", "2001:db8::7"), ("[2001:DB8::7]:4711", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"),
    ("203.0.113.7, 2001:db8:1::9", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7"),
  ])
  func `the client of X-Forwarded-For is the last hop that is no trusted proxy`(value: String, client: String) {
    #expect(self.client("x-forwarded-for", value) == client)
  }

  @Test(arguments: [
    ("", "10.0.0.1"), (",", "10.0.0.1"), ("unknown", "10.0.0.1"), ("203.0.113.7, garbage", "10.0.0.1"),
    ("203.0.113.7, unknown, 10.0.0.9", "10.0.0.9"), ("1.2.3.4.5", "10.0.0.1"), ("203.0.113.7:99999", "10.0.0.1"),
    ("\"203.0.113.7\"", "10.0.0.1"), ("example.org", "10.0.0.1"), ("203.0.113.7,", "10.0.0.1"),
    ("::1%eth0:1", "10.0.0.1"),
  ])
  func `a hop without an address makes the last trusted proxy the client`(value: String, client: String) {
    #expect(self.client("x-forwarded-for", value) == client)
  }

  @Test(arguments: [
    ("for=203.0.113.7", "203.0.113.7"), ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
    ("for=192.0.2.43;proto=https;by=203.0.113.43", "192.0.2.43"),
    ("proto=https; for=\"192.0.2.43:47011\"", "192.0.2.43"),
    ("for=1.1.1.1, for=203.0.113.7, for=10.2.2.2", "203.0.113.7"), ("for=203.0.113.7,,for=10.2.2.2", "203.0.113.7"),
    ("for=\"203.0.113.7:_port\"", "203.0.113.7"), ("for=\"\\2\\0\\3.0.113.7\"", "203.0.113.7"),
    ("for=203.0.113.7;secret=\"a, for=9.9.9.9\"", "203.0.113.7"), ("for=203.0.113.7:80", "203.0.113.7"),
    // No client is named, or it is unknown.
    ("for=unknown", "10.0.0.1"), ("for=_gazonk", "10.0.0.1"), ("proto=http", "10.0.0.1"),
    ("for=1.1.1.1, for=_x", "10.0.0.1"),
    ("for=_x, for=10.2.2.2", "10.2.2.2"), ("", "10.0.0.1"), ("for=", "10.0.0.1"), ("for", "10.0.0.1"),
    ("for=1.1.1.1;for=2.2.2.2", "10.0.0.1"), ("for=\"[2001:db8::1%25eth0]\"", "10.0.0.1"),
    // A client's own quotes cannot hide what the proxy adds.
    ("for=9.9.9.9;by=\", for=203.0.113.7", "10.0.0.1"), ("for=\"9.9.9.9, for=203.0.113.7", "10.0.0.1"),
    ("for=9.9.9.9;by=\", for=\"203.0.113.7\"", "10.0.0.1"), ("for=9.9.9.9;by=\"\\, for=203.0.113.7", "10.0.0.1"),
  ])
  func `the client of Forwarded is found with quotes, ports, identifiers and other parameters`(
    value: String, client: String
  ) {
    #expect(self.client("forwarded", value) == client)
  }

  @Test
  func `forwarded addresses count only from named proxies`() {
    for peer in ["203.0.113.99", "11.0.0.1", "2001:db8:2::1", "", "garbage"] {
      #expect(client("x-forwarded-for", "1.1.1.1", from: peer) == peer)
      #expect(client("forwarded", "for=1.1.1.1", from: peer) == peer)
    }
    #expect(TrustedProxies().client(of: [HTTPField("x-forwarded-for", "1.1.1.1")], from: "10.0.0.1") == "10.0.0.1")
    #expect(client("x-real-ip", "1.1.1.1") == "10.0.0.1")
  }

  @Test
  func `if Forwarded and X-Forwarded-For differ, neither counts`() {
    func client(_ one: String, _ other: String) -> String {
      Self.trusted.client(
        of: [HTTPField("forwarded", one), HTTPField("x-forwarded-for", other)], from: "10.0.0.1")
    }
    #expect(client("for=203.0.113.7", "203.0.113.7") == "203.0.113.7")
    #expect(client("for=203.0.113.7", "1.1.1.1") == "10.0.0.1")
    #expect(client("for=_x", "1.1.1.1") == "10.0.0.1")
  }
}
