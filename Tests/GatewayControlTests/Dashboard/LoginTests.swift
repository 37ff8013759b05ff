import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayControl

struct LoginTests {
  @Test
  func `a login with the secret sets a cookie that no script reads and no other site sends`() throws {
    let port = try ControlPort(secret: ControlPort.secret)
    let answer = port.logIn()
    let cookie = try #require(answer.header("set-cookie"))
    #expect(answer.status == 204)
    #expect(
      cookie.wholeMatch(of: #/postern_session=[A-Za-z0-9_-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict/#)
        != nil)
    #expect(port.cookie() != port.cookie(), "no two are alike")
    var fields = ControlPort.own
    fields[0].value = "https://gateway.test:8081"
    #expect(port.logIn(ControlPort.secret, fields).header("set-cookie")?.hasSuffix("; Secure") == true)
  }

  @Test
  func `only a request for the dashboard is redirected to the login`() throws {
    let port = try ControlPort(secret: ControlPort.secret)
    for (path, root) in [("/dashboard", ""), ("/spaces/t17/dashboard", "../../")] {
      let page = port.ask("GET", path)
      #expect(page.status == 401 && page.text.contains("id=\"login\"") && !page.text.contains("id=\"waves\""))
      #expect(page.text.contains("src=\"\(root)dashboard/script.js\""))
    }
    #expect(port.ask("GET", "/dashboard/").status == 308)
    #expect(port.ask("GET", "/dashboard/", cookie: port.cookie()).status == 308)
    for path in ["/sessions", "/metrics", "/dashboard/feed", "/horizon", "/spaces/t17/dashboard/feed"] {
      let answer = port.ask("GET", path)
      #expect(answer.status == 401 && answer.header("content-type") == "application/json", "\(path)")
    }
    for path in ["/dashboard/style.css", "/dashboard/script.js"] { #expect(port.ask("GET", path).status == 200) }
  }

  @Test
  func `a login opens the dashboard and its orders, and nothing else`() throws {
    let port = try ControlPort(secret: ControlPort.secret)
    let cookie = port.cookie()
    #expect(port.ask("GET", "/dashboard", cookie: cookie).text.contains("id=\"waves\""))
    #expect(port.ask("GET", "/dashboard", cookie: "a=b; \(cookie); c=d").status == 200)
    for path in ["/sessions", "/metrics", "/settings", "/journal", "/horizon", "/spaces", "/spaces/t17/sessions"] {
      #expect(port.ask("GET", path, cookie: cookie).status == 401, "\(path)")
    }
    for path in [
      "/drain", "/reload", "/sessions/disconnect", "/sessions/expire/", "/users/ann/expire",
      "/sessions/conn_0_1/refresh", "/faults", "/spaces/t17/clock/advance",
    ] {
      #expect(port.ask("POST", path, ControlPort.own, cookie: cookie, body: "{}").status == 401, "\(path)")
    }
    for body in [#"{"user_id": "ann"}"#, #"{"issued_before": 10000000000}"#] {
      #expect(port.ask("POST", "/revocations", ControlPort.own, cookie: cookie, body: body).status == 401, "\(body)")
    }
    for path in ["/faults/1", "/spaces/t17", "/horizon/spread", "/sessions/conn_0_1"] {
      #expect(port.ask("DELETE", path, ControlPort.own, cookie: cookie).status == 401, "\(path)")
    }
    for path in ["/sessions/conn_0_1/expire", "/sessions/conn_0_1/disconnect"] {
      #expect(port.ask("POST", path, ControlPort.own, cookie: cookie, body: "{}").status == 404, "\(path)")
      #expect(port.ask("POST", path, cookie: cookie, body: "{}").status != 404, "\(path)")
    }
    #expect(port.ask("GET", "/sessions", ControlPort.own, cookie: cookie).status == 200)
    let spread = #"{"from": 0, "before": 10000000000}"#
    let answer = port.ask("POST", "/horizon/spread", ControlPort.own, cookie: cookie, body: spread)
    #expect(answer.status == 200 && answer.text == #"{"sessions":0,"over_s":0}"#)
    #expect(port.ask("GET", "/sessions", [HTTPField("authorization", "Bearer \(ControlPort.secret)")]).status == 200)
  }

  @Test(arguments: 0..<5)
  func `a page of another site cannot give an order through a browser that is logged in`(kind: Int) throws {
    let port = try ControlPort(secret: ControlPort.secret)
    let json = HTTPField("content-type", "application/json")
    let own = HTTPField("origin", "http://gateway.test:8081")
    let mark = HTTPField("x-postern-dashboard", "1")
    let fields = [
      [json], [json, own], [json, mark], [own, mark, HTTPField("content-type", "text/plain")],
      // Another port of the same host is the same site, and its pages' requests contain the cookie too.
      [json, mark, HTTPField("origin", "http://gateway.test:9999")],
    ][kind]
    let cookie = port.cookie()
    for path in ["/horizon/spread", "/dashboard/logout"] {
      let answer = port.ask("POST", path, fields, cookie: cookie, body: #"{"from": 0, "before": 10000000000}"#)
      #expect([403, 415].contains(answer.status), "\(path): \(answer.text)")
    }
    #expect(port.ask("GET", "/dashboard", cookie: cookie).status == 200)
  }

  @Test
  func `a logout ends the login and the feed that is open`() throws {
    let port = try ControlPort(secret: ControlPort.secret)
    let (cookie, other) = (port.cookie(), port.cookie())
    let stream = try #require(port.ask("GET", "/dashboard/feed", cookie: cookie).stream)
    let reader = port.read(stream)
    port.world.advance(by: .seconds(2))
    #expect(reader.pieces.count >= 2 && !reader.hasEnded)
    let answer = port.ask("POST", "/dashboard/logout", ControlPort.own, cookie: cookie)
    #expect(answer.status == 204 && answer.header("set-cookie")?.contains("Max-Age=0") == true)
    let seen = reader.pieces.count
    port.world.advance(by: .seconds(2))
    #expect(reader.hasEnded && reader.pieces.count == seen)
    #expect(port.ask("GET", "/dashboard/feed", cookie: cookie).status == 401)
    #expect(port.ask("GET", "/dashboard", cookie: other).status == 200)
  }

  @Test
  func `a login lasts twelve hours, whether or not it is used`() throws {
    let port = try ControlPort(secret: ControlPort.secret)
    let cookie = port.cookie()
    port.world.advance(by: .seconds(12 * 3_600 - 60))
    let reader = port.read(try #require(port.ask("GET", "/dashboard/feed", cookie: cookie).stream))
    port.world.advance(by: .seconds(30))
    #expect(!reader.hasEnded)
    port.world.advance(by: .seconds(40))
    #expect(reader.hasEnded && port.ask("GET", "/dashboard", cookie: cookie).status == 401)
  }

  @Test
  func `the control port keeps the newest 64 logins`() throws {
    let port = try ControlPort(secret: ControlPort.secret)
    let cookies = (0...LoginSessions.countMax).map { _ in port.cookie() }
    #expect(port.ask("GET", "/dashboard", cookie: cookies[0]).status == 401)
    for cookie in cookies.dropFirst() { #expect(port.ask("GET", "/dashboard", cookie: cookie).status == 200) }
  }

  @Test
  func `the right secret logs in after any number of wrong ones from the same address, which are answered 429`() throws
  {
    let port = try ControlPort(secret: ControlPort.secret)
    for _ in 0..<5 {
      let answer = port.logIn("wrong")
      #expect(answer.status == 401 && answer.header("set-cookie") == nil && !answer.text.contains("wrong\""))
    }
    #expect(port.logIn("wrong").status == 429)
    #expect(port.logIn().status == 204, "others behind the same proxy must be able to log in")
    #expect(port.logIn(from: "192.0.2.2").status == 204)
    port.world.advance(by: .seconds(11))
    #expect(port.logIn("wrong").status == 401 && port.logIn("wrong").status == 429)
    for _ in 0..<20 { #expect(port.logIn().status == 204) }
  }

  @Test
  func `the control port remembers 1,024 addresses with failed logins, each until it may try again`() {
    var tries = LoginTries()
    let now = Instant.zero + .seconds(1)
    func take(_ peer: String, after seconds: Int = 0) -> Bool { tries.take(Name(peer), at: now + .seconds(seconds)) }
    let taken = (0..<LoginTries.peersMax).count { take("peer \($0)") }
    let (another, known, later) = (take("one more"), take("peer 7"), take("one more", after: 11))
    #expect(taken == LoginTries.peersMax && !another && known && later)
  }

  @Test
  func `a control port without a secret has no login`() throws {
    let port = try ControlPort(secret: nil)
    #expect(port.ask("GET", "/dashboard").status == 200 && !port.ask("GET", "/dashboard").text.contains("Log out"))
    #expect(port.logIn().status == 404)
  }

  @Test(arguments: ["", "[]", "{}", #"{"secret": 1}"#, #"{"secret": null}"#, "{", #"{"secret": "a", "b": 1}"#])
  func `a login with something other than a secret is refused`(body: String) throws {
    let port = try ControlPort(secret: ControlPort.secret)
    #expect(port.ask("POST", "/dashboard/login", ControlPort.own, body: body).status == 400)
    for cookie in ["postern_session=", "postern_session", "=", ";;;", "postern_session=%00; postern_session=\u{1F600}"]
    {
      #expect(port.ask("GET", "/dashboard", cookie: cookie).status == 401)
    }
  }
}

struct DashboardPageTests {
  @Test(arguments: ["", "/style.css", "/script.js"])
  func `the dashboard's page loads nothing from other hosts, and its policy forbids it`(path: String) throws {
    let port = try ControlPort(secret: nil)
    let answer = port.ask("GET", "/dashboard" + path)
    let policy = try #require(answer.header("content-security-policy"))
    #expect(answer.status == 200 && answer.header("x-content-type-options") == "nosniff")
    #expect(answer.header("referrer-policy") == "no-referrer" && answer.header("cache-control") == "no-store")
    #expect(policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe") && !policy.contains("*"))
    // The only URL is the namespace of SVG.
    let others = answer.text.replacing("http://www.w3.org/2000/svg", with: "")
    #expect(!others.contains("//") || path == "/script.js" && !others.contains("://"))
    #expect(!answer.text.contains("innerHTML") && !answer.text.contains(" style="))
  }

  @Test
  func `the dashboard's page names its files by relative addresses`() throws {
    let port = try ControlPort(secret: nil)
    let answer = port.ask("GET", "/dashboard/")
    #expect(answer.status == 308 && answer.header("location") == "../dashboard")
  }

  @Test
  func `the dashboard's page is refused under a host name that is not the gateway's`() throws {
    let port = try ControlPort(secret: nil)
    for path in ["/dashboard", "/dashboard/feed"] {
      let request = HTTPRequest(method: "GET", path: path, headers: [HTTPField("host", "evil.example")])
      let (site, loop) = (port.site, port.world.loops[0].eventLoop)
      #expect(port.world.ask { await site.respond(to: request, on: loop) }?.status == 403)
    }
  }
}
