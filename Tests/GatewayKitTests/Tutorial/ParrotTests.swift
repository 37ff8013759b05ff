import GatewayCore
import TestSupport
import Testing

/// The vendor of the tutorial, in both worlds: the same tests, word by word.
@Suite("The parrot of the tutorial", .timeLimit(.minutes(1)))
struct ParrotTests {
  @Test("greets who has a token, and nobody else", arguments: TestPlace.allCases)
  func greets(place: TestPlace) async throws {
    try await ParrotWorld.run(place) { parrot in
      #expect(try await parrot.greet("ann").hear() == #"{"type":"welcome","user":"ann"}"#)
      let stranger = await parrot.dial()
      stranger.say(#"{"type":"hello","token":"x"}"#)
      #expect(await stranger.hear()?.contains("token_malformed") == true)
      let anonymous = try await parrot.greet("!anon")
      #expect(await anonymous.hear() == #"{"type":"no","because":"anonymous_refused"}"#)
      #expect(await anonymous.ends() && anonymous.end?.code == 4501)
    }
  }

  @Test("learns a word once, and tells the user's other connections", arguments: TestPlace.allCases)
  func learns(place: TestPlace) async throws {
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

  @Test("does nothing for who has not been greeted", arguments: TestPlace.allCases)
  func wantsConnection(place: TestPlace) async throws {
    try await ParrotWorld.run(place) { parrot in
      let peer = await parrot.dial()
      peer.say(#"{"type":"teach","word":"hello"}"#)
      #expect(await peer.hear() == #"{"type":"no","because":"connection_required"}"#)
      let answer = try await parrot.fetch("/parrot/words")
      #expect(answer.body == Array(#"{"words":[]}"#.utf8))
    }
  }

  @Test("asks for another token when one expires, and takes it", arguments: TestPlace.allCases)
  func refreshes(place: TestPlace) async throws {
    try await ParrotWorld.run(place) { parrot in
      let ann = try await parrot.greet("ann")
      _ = await ann.hear()
      #expect(try await parrot.expire("ann") == 1)
      #expect(await ann.hear()?.hasPrefix(#"{"type":"token_please","within_ms":"#) == true)
      ann.say(#"{"type":"fresh_token","token":"\#(try parrot.token("ann", life: 7_200))"}"#)
      #expect(await ann.hear() == #"{"type":"thanks"}"#)
    }
  }

  @Test("closes on who sends no other token in time", arguments: TestPlace.allCases)
  func closes(place: TestPlace) async throws {
    // Short, since time may be real.
    let timeout = Duration.seconds(1)
    try await ParrotWorld.run(place, refreshTimeout: timeout) { parrot in
      let ann = try await parrot.greet("ann")
      _ = await ann.hear()
      _ = try await parrot.expire("ann")
      #expect(await ann.ends(within: timeout + parrot.world.slack) && ann.end?.code == 4000)
    }
  }
}
