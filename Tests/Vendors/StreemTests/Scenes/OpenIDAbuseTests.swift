import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayStreem
import TestSupport
import Testing

@Suite("What strangers may do to Streem's OpenID provider")
struct OpenIDAbuseTests {
  private func make(_ change: (inout OpenIDSettings) -> Void = { _ in }) throws -> (SimulatedStreem, OpenIDVisitor) {
    let streem = try SimulatedStreem { settings in
      settings.openID.users = [
        OpenIDUser(name: "ann", password: "right"), OpenIDUser(name: "bob", company: "other", password: "right"),
      ]
      change(&settings.openID)
    }
    return (streem, OpenIDVisitor(streem))
  }

  @Test("is to ask for as many login pages as they like: nothing is kept of them, and a person still gets in")
  func pages() throws {
    let (_, visitor) = try make { $0.grantsMax = 2 }
    let page = try #require(visitor.open())
    for _ in 0..<300 { #expect(visitor.open() != nil) }
    #expect(visitor.logIn(page, password: "right").status == 303)
  }

  @Test("is not to guess on by starting anew: wrong passwords are counted by name")
  func guessing() throws {
    let (streem, visitor) = try make()
    for _ in 0..<10 {
      #expect(visitor.logIn(try #require(visitor.open()), password: "wrong").status == 403)
    }
    let locked = visitor.logIn(try #require(visitor.open()), password: "right")
    #expect(locked.status == 429 && locked.header("retry-after") == "300")
    #expect(locked.text.contains("Too many tries. Try again in 300 seconds.") && locked.text.contains(#"value="ann""#))
    // Another company's user with that name, and another name, are counted separately.
    #expect(visitor.logIn(try #require(visitor.open()), as: "eve", password: "x").status == 403)
    streem.world.advance(by: .seconds(299))
    #expect(visitor.logIn(try #require(visitor.open()), password: "right").status == 429)
    streem.world.advance(by: .seconds(1))
    #expect(visitor.logIn(try #require(visitor.open()), password: "right").status == 303)
  }

  @Test("is not to learn who there is: a name that nobody has is answered as one that somebody has")
  func strangers() throws {
    let (_, visitor) = try make()
    let page = try #require(visitor.open())
    for user in ["ann", "nobody"] {
      let answers = (0..<12).map { _ in visitor.logIn(page, as: user, password: "wrong").status }
      #expect(answers == [Int](repeating: 403, count: 10) + [429, 429])
    }
  }

  @Test("is not to push out the count of a name by trying others")
  func flooding() throws {
    let (_, visitor) = try make { $0.loginsPerMinute = 1_000_000 }
    let page = try #require(visitor.open())
    for _ in 0..<10 { _ = visitor.logIn(page, password: "wrong") }
    for number in 0..<2_000 { _ = visitor.logIn(page, as: "x\(number)", password: "wrong") }
    #expect(visitor.logIn(page, password: "right").status == 429)
  }

  @Test("is to send so many login forms a minute from one address, whatever they say")
  func forms() throws {
    let (streem, visitor) = try make { $0.loginsPerMinute = 5 }
    let page = try #require(visitor.open())
    for number in 0..<5 { #expect(visitor.logIn(page, as: "x\(number)", password: "x").status == 403) }
    let refused = visitor.logIn(page, password: "right")
    #expect(refused.status == 429 && refused.header("retry-after") == "12")
    streem.world.advance(by: .seconds(12))
    #expect(visitor.logIn(page, password: "right").status == 303)
  }

  @Test("with a login is to have so many grants, the oldest of which ends for the next, and no one else's")
  func grants() throws {
    let (streem, visitor) = try make { $0.grantsPerUserMax = 2 }
    _ = streem.fetch("POST", "/streem/companies", body: #"{"code":"other"}"#, from: DialTarget.control)
    let other = OpenIDVisitor(streem, company: "other")
    func logIn(_ visitor: OpenIDVisitor, _ user: String) throws -> String {
      let answer = OpenIDVisitor.answer(visitor.logIn(try #require(visitor.open()), as: user, password: "right"))
      let tokens = visitor.redeem(try #require(answer["code"]))
      return try #require(SimulatedStreem.member("access_token", tokens.text))
    }
    let bobs = try logIn(other, "bob")
    let anns = try (0..<3).map { _ in try logIn(visitor, "ann") }
    #expect(anns.map { visitor.get("/userinfo", bearer: $0).status } == [401, 200, 200])
    #expect(other.get("/userinfo", bearer: bobs).status == 200)
  }

  @Test("is not to fill the memory with long requests: codes have room for so many bytes")
  func bytes() throws {
    let (streem, visitor) = try make { $0.bytesMax = 10_000 }
    let long = String(repeating: "s", count: 1_900)
    var answers: [Int] = []
    for _ in 0..<8 {
      let page = try #require(visitor.open(["state": long, "nonce": long]))
      answers.append(visitor.logIn(page, password: "right").status)
    }
    #expect(answers == [303, 303, 503, 503, 503, 503, 503, 503])
    streem.world.advance(by: .seconds(60))
    #expect(visitor.logIn(try #require(visitor.open()), password: "right").status == 303, "codes last for a minute")
  }

  @Test("is not to make the provider keep a request that is too long for the page's form")
  func longRequest() throws {
    let (_, visitor) = try make()
    let long = String(repeating: "\u{1}", count: 2_000)
    let answer = visitor.post(
      "/authorize", OpenIDVisitor.authorization(["state": "s", "nonce": long, "login_hint": long]))
    #expect(answer.status == 303 && OpenIDVisitor.answer(answer)["error"] == "invalid_request")
  }
}
