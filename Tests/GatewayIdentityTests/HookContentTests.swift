import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import TestSupport
import Testing

@testable import GatewayIdentity

/// The backend names users, gets tokens, or is asked about some dialects only.
@Suite(.timeLimit(.minutes(2)))
struct HookContentTests {
  @Test
  func `a backend that may rename names the session's user, also after a refresh by the same token's user`() throws {
    let space = try HookSpace([.connect, .refresh]) { $0.mayRename = true }
    space.backend.say(#"{"result":{"user":"tenant:ann"}}"#, to: "connect")
    let ann = space.connect(try space.token())
    #expect(ann.texts.first?.has(#""user_id":"tenant:ann""#) == true, "\(ann.texts)")
    #expect(try space.refresh(ann).has("refreshed"))
    #expect(space.backend.body.has(#""user":"tenant:ann""#))
    // Nobody else's token goes on with the session.
    #expect(try space.refresh(ann, "bob").has("error"))
    #expect(try space.refresh(ann, "tenant:ann").has("refreshed"), "the name itself is the session's user")
    #expect(ann.isOpen)
  }

  @Test
  func `without the permission an answer with another user is of no use`() throws {
    let space = try HookSpace([.connect])
    space.backend.say(#"{"result":{"user":"tenant:ann"}}"#, to: "connect")
    let ann = space.connect(try space.token())
    #expect(ann.texts.first?.has("503005") == true && space.results == ["unjudged"], "\(ann.texts)")
  }

  @Test
  func `the token itself is in the questions about connect and refresh if the settings say so, and only then`() throws {
    for sends in [true, false] {
      let space = try HookSpace([.connect, .refresh]) { $0.sendsToken = sends }
      let token = try space.token()
      let ann = space.connect(token)
      #expect(space.backend.body.has("\"value\":\"\(token)\"") == sends)
      space.pass(1)
      let next = try space.token(life: 900)
      #expect(space.ask(ann, "{\"type\":\"refresh\",\"token\":\"\(next)\"}").has("refreshed"))
      #expect(space.backend.body.has("\"value\":\"\(next)\"") == sends && !space.backend.body.has(token))
      #expect(space.logs.all("hook_failed").isEmpty)
    }
  }

  @Test
  func `a question of the gateway's own has no token's text`() throws {
    let space = try HookSpace([.connect, .refresh]) {
      $0.sendsToken = true
      $0.refresher = .gateway
    }
    _ = space.connect(try space.token(life: 60))
    let count = space.backend.requests.count
    space.pass(55)
    #expect(space.backend.requests.count > count && !space.backend.body.has("value"))
  }

  @Test
  func `a dialect that is not named is not asked about, and one that is not served is refused`() throws {
    let space = try HookSpace([.connect, .commands]) { $0.dialects = ["plain"] }
    space.backend.say(#"{"error":{"code":1000,"message":"no seat"}}"#, to: "connect")
    #expect(space.connect(try space.token()).texts.first?.has("403007") == true)
    let refused = #expect(throws: UnknownDialect.self) {
      _ = try HookSpace([.connect]) { $0.dialects = ["plane"] }
    }
    #expect(refused?.description.has("'plane'") == true && refused?.description.has("plain") == true)
  }
}
