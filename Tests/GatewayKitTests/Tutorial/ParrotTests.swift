import GatewayCore
import GatewayKit
import GatewayRuntime
import TestSupport
import TestTraits
import Testing

/// The tutorial's vendor in both worlds, with the same tests.
@Suite(.timeLimit(.minutes(20)))
struct ParrotTests {
  @Test(arguments: TestPlace.allCases)
  func `the parrot greets a client with a token, and no other client`(place: TestPlace) async throws {
    try await ParrotWorld.run(place) { parrot in
      #expect(try await parrot.greet("ann").hear() == #"{"type":"welcome","user":"ann"}"#)
      let stranger = await parrot.dial()
      stranger.say(#"{"type":"hello","token":"x"}"#)
      #expect(await stranger.hear()?.contains("token_malformed") == true)
      let anonymous = try await parrot.greet("!anon")
      #expect(await anonymous.hear() == #"{"type":"no","number":403001,"because":"anonymous_refused"}"#)
      #expect(await anonymous.ends() && anonymous.end?.code == 4501)
    }
  }

  @Test(arguments: TestPlace.allCases)
  func `the parrot learns a word once, and tells the user's other connections`(place: TestPlace) async throws {
    try await ParrotWorld.run(place) { parrot in
      let (ann, other) = (try await parrot.greet("ann"), try await parrot.greet("ann"))
      for peer in [ann, other] { _ = await peer.hear() }
      for isNew in [true, false] {
        ann.say(#"{"type":"teach","word":"hello"}"#)
        for peer in [ann, other] {
          #expect(await peer.hear() == #"{"type":"squawk","word":"hello","is_new":\#(isNew)}"#)
        }
      }
      let answer = try await parrot.fetch("/parrot/words")
      #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == #"{"words":["hello"]}"#)
    }
  }

  @Test(arguments: TestPlace.allCases)
  func `the parrot ignores a client that it has not greeted`(place: TestPlace) async throws {
    try await ParrotWorld.run(place) { parrot in
      let peer = await parrot.dial()
      peer.say(#"{"type":"teach","word":"hello"}"#)
      #expect(await peer.hear() == #"{"type":"no","number":800101,"because":"connection_required"}"#)
      let answer = try await parrot.fetch("/parrot/words")
      #expect(answer.body == Array(#"{"words":[]}"#.utf8))
    }
  }
}

@Suite(.timeLimit(.minutes(20)))
struct ParrotHTTPTests {
  @Test(arguments: TestPlace.allCases)
  func `the parrot learns over HTTP from a connected user, by the token of the connection`(place: TestPlace)
    async throws
  {
    try await ParrotWorld.run(place) { parrot in
      let bearer = [HTTPField("authorization", "Bearer \(try parrot.token("ann"))")]
      let body = #"{"word":"hello"}"#
      #expect(try await parrot.world.fetch("POST", "/parrot/words", body: body).text.contains("800101"))
      #expect(
        try await parrot.world.fetch("POST", "/parrot/words", headers: bearer, body: body).text.contains("800101"))
      let ann = try await parrot.greet("ann")
      _ = await ann.hear()
      for (isNew, status) in [(true, 201), (false, 200)] {
        let answer = try await parrot.world.fetch("POST", "/parrot/words", headers: bearer, body: body)
        #expect(answer.status == status)
        #expect(await ann.hear() == #"{"type":"squawk","word":"hello","is_new":\#(isNew)}"#)
      }
    }
  }

  @Test(arguments: TestPlace.allCases)
  func `the parrot gives tokens that its socket takes, and none to the anonymous`(place: TestPlace) async throws {
    try await ParrotWorld.run(place) { parrot in
      let answer = try await parrot.world.fetch("POST", "/parrot/token", body: #"{"name":"ann"}"#)
      let peer = await parrot.dial()
      peer.say(#"{"type":"hello",\#(answer.text.dropFirst())"#)
      #expect(await peer.hear() == #"{"type":"welcome","user":"ann"}"#)
      for body in [#"{"name":"!anon"}"#, "{}", "x"] {
        #expect(try await parrot.world.fetch("POST", "/parrot/token", body: body).status == 400)
      }
    }
  }

  @Test
  func `the parrot forgets a word by order of postern ctl`() throws {
    let space = try TestSpace(try ParrotWorld.settings, GatewayConfiguration(session: try SessionPolicy()))
    let cage = space.vendor.cage
    #expect(space.order { try? await cage.learn("hello", from: UserID("ann"), at: $0.wallTime) } == true)
    let forget = try ParrotVendor.controlActions[0].order(Arguments(flags: []), .init(operand: "hello")).request
    #expect(try space.fetch(forget, from: .control)?.get().text == #"{"forgot":"hello"}"#)
    #expect(try space.fetch(forget, from: .control)?.get().status == 404)
    #expect(try space.fetch(HTTPRequest(method: "GET", path: "/parrot/words"))?.get().text == #"{"words":[]}"#)
  }
}

struct ParrotGateTests {
  @Test(.long, arguments: GateCase.all(ParrotGate(), in: TestPlace.allCases))
  func `the rules of the gate hold for the parrot`(gate: GateCase) async throws { try await gate.holds() }
}

/// The properties of the parrot's wire for the rules of the gate.
private struct ParrotGate: GateDialect {
  let client: any ClientDialect = ParrotClientDialect()
  let operation = #"{"type":"teach","word":"hello"}"#

  func vendor(tokenLife: Duration) throws -> (any VendorSettings)? { try ParrotWorld.settings }

  func guest(in world: TestWorld) async throws -> GateClient {
    let order = #"{"user_id":"zoe","kind":"guest","scheme":"parrot"}"#
    let token = client.token(in: try await world.fetch("POST", "/v1/tokens", body: order))
    return await GateClient("zoe", with: token, of: self, in: world)
  }

  func joins(_ guest: GateClient) async -> Bool {
    guest.peer.say(operation)
    return await guest.peer.hears(#""type":"squawk""#)
  }
}

struct ParrotCageTests {
  @Test(arguments: StoreCase.all)
  func `the parrot's words are there for another gateway on the same store, up to their bound`(engine: StoreCase)
    async throws
  {
    let (store, now) = (try engine.make(), WallTime(seconds: 1_000))
    let cage = ParrotCage(store, wordsMax: 1)
    #expect(try await cage.learn("hello", from: UserID("ann"), at: now))
    await #expect(throws: GatewayError.self) { _ = try await cage.learn("bye", from: UserID("ann"), at: now) }
    let next = ParrotCage(store, wordsMax: 2)
    #expect(try await !next.learn("hello", from: UserID("bob"), at: now))
    #expect(try await next.learn("bye", from: UserID("bob"), at: now))
    #expect(try await next.words(at: now).map(\.learnedFrom) == [UserID("bob"), UserID("ann")])
  }
}

struct ParrotTokenToolTests {
  @Test
  func `the parrot's token tool makes a token and recognises it until it has expired`() throws {
    let now = WallTime(seconds: 1_700_000_000)
    let commands = TokenCommands(ParrotVendor.self, secret: "a secret of thirty-two bytes, say", at: now)
    let token = try commands.mint(["--user", "ann", "--kind", "guest"])
    #expect(try commands.verify(token).headline == "valid: guest user ann")
    #expect(try !commands.verify(token, at: now + .seconds(4_000)).isValid)
    #expect(commands.nature(token) == .shared("a user's token"))
  }

  @Test
  func `a flag of serve sets how many words the parrot can learn`() throws {
    #expect(try ParrotVendor.settings(["--parrot-words", "7"], .test()).wordsMax == 7)
    #expect(try ParrotVendor.complaint(["--parrot-words", "0"], .test()) != "")
  }
}
