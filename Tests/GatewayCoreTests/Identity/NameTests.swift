import GatewayCore
import Testing

struct NameTests {
  @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"), (";", "\u{37E}")])
  func `names that Unicode calls equivalent are two names`(one: String, other: String) {
    #expect(one == other, "Swift's strings are one")
    #expect(Name(one) != Name(other))
    #expect(UserID(one) != UserID(other))
    #expect(RequestID(one) != RequestID(other))
    #expect(Set([UserID(one), UserID(other)]).count == 2)
    let table = [UserID(one): 1, UserID(other): 2]
    #expect(table[UserID(one)] == 1 && table[UserID(other)] == 2)
  }

  @Test
  func `names with the same bytes are the same name, however the string was made`() {
    let long = String(repeating: "é", count: 100)
    let copy = String(decoding: Array(long.utf8), as: UTF8.self)
    let slice = Name(("x" + long).dropFirst())
    #expect(Name(long) == Name(copy) && Name(long).hashValue == Name(copy).hashValue)
    #expect(Name(long) == slice && Name(long).hashValue == slice.hashValue)
  }

  @Test
  func `names are in the order of their bytes`() {
    let texts = ["", "A", "K", "a", "e\u{301}", "\u{E9}", "\u{212A}", "\u{1F600}"]
    #expect(
      texts.shuffledByHand.map { Name($0) }.sorted().map(\.text.utf8).map(Array.init) == texts.map { Array($0.utf8) })
    #expect(UserID("a") < UserID("b"))
  }
}

extension [String] {
  /// Another order, which is always the same.
  fileprivate var shuffledByHand: [String] {
    enumerated().sorted { $0.offset * 5 % count < $1.offset * 5 % count }.map(\.element)
  }
}
