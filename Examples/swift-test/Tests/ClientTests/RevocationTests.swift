import PosternTesting
import PosternXCTest
import XCTest

/// A test with XCTest; `gateway` belongs to this test alone.
final class RevocationTests: PosternTestCase {
  override var options: PosternGateway.Options {
    var options = PosternGateway.Options()
    options.closesRevoked = true
    return options
  }

  func testClientIsToldThatItsTokenIsRevoked() async throws {
    let client = MyClient(url: gateway.url, token: await gateway.token(for: "ann"))
    try await client.connect()
    let welcome = try await client.nextMessage()
    XCTAssertTrue(welcome.contains(#""type":"connected""#))

    try await gateway.revoke(user: "ann")
    do {
      while true { _ = try await client.nextMessage() }
    } catch let closed as MyClient.Closed {
      XCTAssertEqual(closed, MyClient.Closed(code: 4004))
    }
    try await gateway.journal.wait(for: .cutOff, user: "ann", within: .seconds(60))
  }

  func testEachTestHasAGatewayOfItsOwn() async throws {
    let sessions = await gateway.sessions()
    XCTAssertEqual(sessions, [])
    let lines = await gateway.journal.lines()
    XCTAssertEqual(lines.count, 0)
  }
}
