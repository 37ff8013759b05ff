import GatewayCore
import Testing

struct PageGuardTests {
  private static let pages = PageGuard(
    hosts: ["10.0.0.5", "2001:db8:0::5", "Gateway.internal"], origins: ["https://app.example"])

  private func request(_ method: String = "POST", host: String?, _ fields: [String: String] = [:]) -> HTTPRequest {
    HTTPRequest(
      method: method, path: "/drain",
      headers: (host.map { [HTTPField("host", $0)] } ?? []) + fields.map { HTTPField($0, $1) })
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:8081", "127.0.0.1:8081", "127.9.9.9", "[::1]:8081", "[0:0::1]", "10.0.0.5:8081",
    "[2001:db8::5]:1", "gateway.INTERNAL", nil,
  ])
  func `a program that uses a name of this machine or of the list is admitted`(host: String?) {
    for method in ["GET", "POST"] { #expect(Self.pages.refusal(of: request(method, host: host)) == nil) }
  }

  @Test(arguments: [
    "evil.example:8081", "10.0.0.6", "127.0.0.1.evil.example", "localhost.evil.example", "localhos\u{212a}",
    "app.example",
    "[2001:db8::6]", "128.0.0.1",
  ])
  func `another host is refused, such as a foreign name that was pointed here`(host: String) {
    for method in ["GET", "HEAD", "POST"] {
      let refusal = Self.pages.refusal(of: request(method, host: host, ["origin": "http://\(host)"]))
      #expect(refusal.map { [403_003, 403_005].contains($0.number) } == true)
      guard Authority(host) != nil else { continue }
      #expect(Self.pages.refusal(of: request(method, host: host))?.isSame(as: .hostRefused) == true)
    }
  }

  @Test
  func `an emulator may use the address that it has for this machine, and no foreign name`() {
    let pages = PageGuard(hosts: [], takesAddresses: true)
    for host in ["10.0.2.2:8080", "[fe80::1]:8080"] {
      #expect(pages.refusal(of: request(host: host)) == nil)
      #expect(pages.refusal(of: request(host: host, ["origin": "http://\(host)"])) == nil)
      #expect(pages.refusal(of: request(host: host, ["origin": "http://evil.example"])) != nil)
    }
    for host in ["10.0.2.2.evil.example", "0x0a000202.evil", "evil.example"] {
      #expect(pages.refusal(of: request(host: host))?.isSame(as: .hostRefused) == true)
    }
  }

  @Test
  func `an origin must be the port's own or one of the list`() {
    for (host, origin) in [
      ("localhost:8081", "http://localhost:8081"), ("127.0.0.1", "http://127.0.0.1:80"), ("[::1]:1", "http://[::1]:1"),
      ("localhost:8081", "https://app.example"), ("localhost", "https://localhost"),
    ] {
      #expect(Self.pages.refusal(of: request(host: host, ["origin": origin])) == nil, "\(origin)")
    }
    for origin in [
      "http://localhost:3000", "http://127.0.0.1:8081", "null", "", "http://app.example", "https://app.example:444",
      "https://app.example.evil", "https://APP.example\u{301}", "file://",
      "http://localhost:8081, http://localhost:8081",
    ] {
      for method in ["GET", "POST"] {
        let refusal = Self.pages.refusal(of: request(method, host: "localhost:8081", ["origin": origin]))
        #expect(refusal?.isSame(as: .originRefused) == true, "\(origin)")
      }
    }
  }

  @Test
  func `pages of this machine are allowed where the guard says so, foreign pages and names are not`() {
    let pages = PageGuard(hosts: [], takesAddresses: true, pages: .ofThisMachine)
    for origin in ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:3000", "http://10.0.2.2:8080"] {
      #expect(pages.refusal(of: request(host: "10.0.2.2:8080", ["origin": origin])) == nil, "\(origin)")
    }
    for origin in ["https://app.example", "null", "http://localhost.evil.example", "http://10.0.2.3:8080"] {
      let refusal = pages.refusal(of: request(host: "10.0.2.2:8080", ["origin": origin]))
      #expect(refusal?.isSame(as: .originRefused) == true, "\(origin)")
    }
    let refusal = pages.refusal(of: request(host: "evil.example", ["origin": "http://localhost:5173"]))
    #expect(refusal?.isSame(as: .hostRefused) == true)
  }

  @Test
  func `a guard for any page still refuses a foreign Host`() {
    let pages = PageGuard(hosts: ["proxy"], pages: .any)
    for fields in [["origin": "https://evil.example"], ["sec-fetch-site": "cross-site"]] {
      #expect(pages.refusal(of: request(host: "proxy:8080", fields)) == nil)
      #expect(pages.refusal(of: request(host: "evil.example", fields))?.isSame(as: .hostRefused) == true)
    }
  }

  @Test
  func `without an Origin, the browser's Sec-Fetch fields decide`() {
    func isRefused(_ method: String, _ fields: [String: String]) -> Bool {
      Self.pages.refusal(of: request(method, host: "localhost:8081", fields)) != nil
    }
    for site in ["cross-site", "same-site", "x"] {
      #expect(isRefused("POST", ["sec-fetch-site": site]))
      #expect(isRefused("GET", ["sec-fetch-site": site, "sec-fetch-mode": "no-cors"]))
      #expect(!isRefused("GET", ["sec-fetch-site": site, "sec-fetch-mode": "navigate"]), "a link may lead here")
      #expect(isRefused("POST", ["sec-fetch-site": site, "sec-fetch-mode": "navigate"]), "a form may not")
    }
    for site in ["same-origin", "none"] { #expect(!isRefused("POST", ["sec-fetch-site": site])) }
    #expect(isRefused("POST", ["referer": "https://evil.example/page"]))
    #expect(isRefused("POST", ["referer": "about:blank"]))
    #expect(!isRefused("POST", ["referer": "http://localhost:8081/page"]))
    #expect(!isRefused("GET", ["referer": "https://evil.example/page"]))
  }

  @Test
  func `if a secret decides, any host is admitted, and another origin is still refused`() {
    let pages = PageGuard(hosts: nil)
    #expect(pages.refusal(of: request("GET", host: "postern.namespace.svc:8081")) == nil)
    #expect(pages.refusal(of: request(host: "10.1.2.3:8081", ["origin": "https://evil.example"])) != nil)
  }
}
