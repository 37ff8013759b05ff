import GatewayCore
import Testing

/// The vendor of the tutorial, in both worlds: the same tests, word by word.
@Suite("The parrot of the tutorial", .timeLimit(.minutes(1)))
struct ParrotTests {
  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case virtualTime = "in virtual time"
    case sockets = "over sockets"

    var testDescription: String { rawValue }

    func run(_ body: (any ParrotWorld) async throws -> Void) async throws {
      switch self {
      case .virtualTime:
        try await body(try VirtualParrot())
      case .sockets:
        let parrot = try await LiveParrot()
        do { try await body(parrot) } catch {
          await parrot.stop()
          throw error
        }
        await parrot.stop()
      }
    }
  }

  @Test("greets who has a token, and nobody else", arguments: Place.allCases)
  func greets(place: Place) async throws {
    try await place.run { parrot in
      #expect(try await parrot.greet("ann").hear() == #"{"type":"welcome","user":"ann"}"#)
      let stranger = try await parrot.dial()
      await stranger.say(#"{"type":"hello","token":"x"}"#)
      #expect(try await stranger.hear()?.contains("token_malformed") == true)
      let anonymous = try await parrot.greet("!anon")
      #expect(try await anonymous.hear() == #"{"type":"no","because":"anonymous_refused"}"#)
      #expect(try await anonymous.closeCode() == 4501)
    }
  }

  @Test("learns a word once, and tells the user's other connections", arguments: Place.allCases)
  func learns(place: Place) async throws {
    try await place.run { parrot in
      let (ann, other) = (try await parrot.greet("ann"), try await parrot.greet("ann"))
      for peer in [ann, other] { _ = try await peer.hear() }
      for isNew in [true, false] {
        await ann.say(#"{"type":"teach","word":"hello"}"#)
        for peer in [ann, other] {
          #expect(try await peer.hear() == #"{"type":"squawk","word":"hello","is_new":\#(isNew)}"#)
        }
      }
      let answer = try await parrot.fetch("/parrot/words")
      #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == #"{"words":["hello"]}"#)
    }
  }

  @Test("does nothing for who has not been greeted", arguments: Place.allCases)
  func wantsConnection(place: Place) async throws {
    try await place.run { parrot in
      let peer = try await parrot.dial()
      await peer.say(#"{"type":"teach","word":"hello"}"#)
      #expect(try await peer.hear() == #"{"type":"no","because":"connection_required"}"#)
      #expect(try await parrot.fetch("/parrot/words").body == Array(#"{"words":[]}"#.utf8))
    }
  }

  @Test("asks for another token when one expires, and takes it", arguments: Place.allCases)
  func refreshes(place: Place) async throws {
    try await place.run { parrot in
      let ann = try await parrot.greet("ann")
      _ = try await ann.hear()
      #expect(try await parrot.expire("ann") == 1)
      #expect(try await ann.hear()?.hasPrefix(#"{"type":"token_please","within_ms":"#) == true)
      await ann.say(#"{"type":"fresh_token","token":"\#(try await parrot.token("ann", life: 7_200))"}"#)
      #expect(try await ann.hear() == #"{"type":"thanks"}"#)
    }
  }

  @Test("closes on who sends no other token in time", arguments: Place.allCases)
  func closes(place: Place) async throws {
    try await place.run { parrot in
      let ann = try await parrot.greet("ann")
      _ = try await ann.hear()
      _ = try await parrot.expire("ann")
      #expect(try await ann.closeCode() == 4000)
    }
  }
}
