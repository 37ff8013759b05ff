import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import TestTraits
import Testing

@testable import GatewayStreem

@Suite(.onNodes)
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

  @Test(.long)
  func `strangers may request any number of login pages, for which nothing is stored, and a person can still log in`()
    throws
  {
    let (_, visitor) = try make { $0.grantsMax = 2 }
    let page = try #require(visitor.open())
    for _ in 0..<300 { #expect(visitor.open() != nil) }
    #expect(visitor.logIn(page, password: "right").status == 303)
  }

  @Test
  func `wrong passwords are counted by name, however often a stranger starts again`() throws {
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

  @Test
  func `an unknown name is answered like an existing one`() throws {
    let (_, visitor) = try make()
    let page = try #require(visitor.open())
    for user in ["ann", "nobody"] {
      let answers = (0..<12).map { _ in visitor.logIn(page, as: user, password: "wrong").status }
      #expect(answers == [Int](repeating: 403, count: 10) + [429, 429])
    }
  }

  @Test(.long)
  func `attempts with other names do not remove the count of a name`() throws {
    let (_, visitor) = try make { $0.loginsPerMinute = 1_000_000 }
    let page = try #require(visitor.open())
    for _ in 0..<10 { _ = visitor.logIn(page, password: "wrong") }
    for number in 0..<2_000 { _ = visitor.logIn(page, as: "x\(number)", password: "wrong") }
    #expect(visitor.logIn(page, password: "right").status == 429)
  }

  @Test
  func `login forms of one address are limited per minute, whatever they contain`() throws {
    let (streem, visitor) = try make { $0.loginsPerMinute = 5 }
    let page = try #require(visitor.open())
    for number in 0..<5 { #expect(visitor.logIn(page, as: "x\(number)", password: "x").status == 403) }
    let refused = visitor.logIn(page, password: "right")
    #expect(refused.status == 429 && refused.header("retry-after") == "12")
    streem.world.advance(by: .seconds(12))
    #expect(visitor.logIn(page, password: "right").status == 303)
  }

  @Test
  func `a login has a bounded number of grants, the oldest of which ends for the next`() throws {
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

  @Test
  func `long requests do not fill the memory, since codes have a bounded number of bytes`() throws {
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

  @Test
  func `a request too long for the page's form is not kept`() throws {
    let (_, visitor) = try make()
    let long = String(repeating: "\u{1}", count: 2_000)
    let answer = visitor.post(
      "/authorize", OpenIDVisitor.authorization(["state": "s", "nonce": long, "login_hint": long]))
    #expect(answer.status == 303 && OpenIDVisitor.answer(answer)["error"] == "invalid_request")
  }
}
