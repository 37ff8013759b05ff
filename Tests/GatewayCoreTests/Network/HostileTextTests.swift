import TestSupport
import Testing

@testable import GatewayCore

struct HostileTextTests {
  @Test
  func `a hostile address, host, network or link traps no reader, and what is accepted can be read again`() {
    var source = HostileBytes(
      seed: 1,
      examples: [
        "http://ann@example.org:8080/a/b?c=d&e=%20f#g", "wss://[2001:db8::1]:443/x", "https://10.0.0.1", "[::1]:65535",
        "fe80::1%eth0", "::ffff:192.0.2.128", "10.0.0.0/8", "2001:db8::/32", "t17.localhost:80",
      ])
    for _ in 0..<6_000 {
      let text = source.text()
      _ = WebAddress(text)
      _ = Authority(text)
      _ = Authority.ofAddress(text)
      _ = QueryString.parameters(of: text[...])
      if let decoded = PercentEncoding.decode(text) {
        #expect(PercentEncoding.decode(PercentEncoding.encode(decoded)).map { Array($0.utf8) } == Array(decoded.utf8))
      }
      if let address = IPAddress(text) {
        #expect(IPAddress(address.description) == address, "\(text)")
        if let network = IPNetwork(text) { #expect(network.contains(address)) }
      }
    }
  }

  @Test
  func `a hostile Forwarded or X-Forwarded-For traps no reader and names an address or the peer`() throws {
    let proxies = TrustedProxies([try #require(IPNetwork("10.0.0.0/8"))])
    var source = HostileBytes(
      seed: 2,
      examples: [
        #"for=192.0.2.60;proto=http;by=10.0.0.1, for="[2001:db8::17]:4711""#, "for=unknown, for=_hidden",
        "192.0.2.1, 10.0.0.2", #"For="\"x\\";host="a;b, c""#,
      ], words: ["for=", "10.0.0.1", "proto"])
    for _ in 0..<4_000 {
      let fields = [HTTPField("forwarded", source.text()), HTTPField("x-forwarded-for", source.text())]
      for headers in [[fields[0]], [fields[1]], fields] {
        #expect(IPAddress(proxies.client(of: headers, from: "10.0.0.1")) != nil)
        #expect(proxies.client(of: headers, from: "192.0.2.9") == "192.0.2.9")
      }
    }
  }

  @Test
  func `a hostile date or Retry-After traps no reader, and a date is written as it was read`() {
    var source = HostileBytes(
      seed: 3,
      examples: [
        "2026-11-23T09:00:00.5+01:00", "2024-02-29 23:59:60Z", "1677-09-21T00:12:43Z", "2262-04-11T23:47:16Z",
        "Mon, 23 Nov 2026 09:00:00 GMT", "120", "9999-12-31T23:59:59.999999999Z",
      ], words: ["GMT", "Feb", "31", "0000"])
    for _ in 0..<6_000 {
      let text = source.text()
      if let time = WallTime(rfc3339: text) { #expect(WallTime(rfc3339: time.rfc3339(fractionDigits: 9)) == time) }
      if let time = WallTime(httpDate: text) { #expect(WallTime(httpDate: time.httpDate) == time) }
      let response = HTTPResponse(
        status: 503, headers: [HTTPField("retry-after", text), HTTPField("date", source.text())])
      if let wait = RetryAfter.read(response, at: WallTime(seconds: 1.8e9)) { #expect(wait >= .zero) }
    }
    for time in [Int64.min, -1, 0, 1, .max].map({ WallTime(nanoseconds: $0) }) {
      #expect(time.httpDate.utf8.count == 29 && time.httpDate.hasSuffix(" GMT"), "\(time.httpDate)")
    }
    #expect(WallTime(seconds: 1_795_424_400).httpDate == "Mon, 23 Nov 2026 09:00:00 GMT")
    #expect(WallTime(seconds: -86_400).httpDate == "Wed, 31 Dec 1969 00:00:00 GMT")
  }

  @Test
  func `hostile base64 traps no reader, and what is accepted can be written and read again`() {
    var source = HostileBytes(
      seed: 4, examples: ["AAECAwQFBgcICQ==", "eyJhbGciOiJIUzI1NiJ9", "_-8", "+/8="], words: ["="])
    for _ in 0..<4_000 {
      let text = source.text()
      if let bytes = Base64.decode(text) { #expect(Base64.decode(Base64.encode(bytes)) == bytes) }
      if let bytes = Base64URL.decode(text) { #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes) }
    }
  }

  @Test
  func `a hostile PROXY protocol header traps no reader, which never wants more than a header has`() {
    let signature = "\r\n\r\n\u{0}\r\nQUIT\n"
    var source = HostileBytes(
      seed: 5,
      examples: [
        "PROXY TCP4 203.0.113.7 192.0.2.1 4711 8080\r\n", "PROXY TCP6 2001:db8::1 ::1 4711 8080\r\n",
        "PROXY UNKNOWN\r\n", signature + "\u{21}\u{11}\u{0}\u{c}abcdefghijkl",
        signature + "\u{21}\u{21}\u{0}\u{24}" + String(repeating: "x", count: 36), signature + "\u{20}\u{0}\u{0}\u{0}",
      ], words: ["fe80::1%eth0", signature, "\u{7f}", "\u{21}"])
    var complete = 0
    for _ in 0..<6_000 {
      var rest = source.next()[...]
      var header = ProxyHeader()
      reading: while !rest.isEmpty {
        let wanted = header.wanted
        #expect(wanted.count > 0 && wanted.count <= ProxyHeader.bytesMax)
        guard wanted.count > 0 else { break }
        var count = min(rest.count, wanted.count, 1 + source.below(40))
        if wanted.endsAtLineFeed, let end = rest.prefix(count).firstIndex(of: 0x0a) {
          count = end - rest.startIndex + 1
        }
        let step = Array(rest.prefix(count)).withUnsafeBytes { header.append($0) }
        rest = rest.dropFirst(count)
        switch step {
        case .needsMore: break
        case .complete(let client):
          complete += 1
          #expect(client?.description.utf8.contains(UInt8(ascii: "%")) != true)
          break reading
        case .invalid: break reading
        }
      }
    }
    #expect(complete > 500)
  }
}
