import GatewayCore
import TestSupport
import TestTraits
import Testing

@testable import GatewayControl

struct HostileCookieTests {
  private let key = String(repeating: "k", count: 43)

  private func request(_ cookies: [String]) -> HTTPRequest {
    HTTPRequest(method: "GET", path: "/dashboard", headers: cookies.map { HTTPField("cookie", $0) })
  }

  @Test(.long)
  func `a hostile Cookie identifies a session only if it contains the whole key, and never traps`() {
    let sessions = LoginSessions(secret: Array("secret".utf8))
    let now = Instant(nanoseconds: 1)
    sessions.begin(key, at: now)
    let name = LoginSessions.cookie
    var source = HostileBytes(
      seed: 51, examples: ["\(name)=\(key)", "a=b; \(name)=\(key); c=\"d\"", "\(name)=; \(name)=x", "=; ;;=;"],
      words: [name, key, "\(name)=", ";", "; ", "="])
    var found = 0
    for _ in 0..<5_000 {
      let cookies = (0..<3).map { _ in source.text() }
      guard sessions.key(of: request(cookies), at: now) != nil else { continue }
      found += 1
      #expect(cookies.contains { $0.contains(bytesOf: "\(name)=\(key)") })
    }
    #expect(found > 100)
  }

  @Test
  func `dashboard sessions end when the control secret changes, and stay when the same secret is read again`() {
    let sessions = LoginSessions(secret: Array("secret".utf8))
    let now = Instant(nanoseconds: 1)
    sessions.begin(key, at: now)
    sessions.take(Array("secret".utf8))
    #expect(sessions.isLive(Array(key.utf8), at: now))
    sessions.take(Array("another".utf8))
    #expect(!sessions.isLive(Array(key.utf8), at: now) && sessions.secret == Array("another".utf8))
  }
}
