import GatewayCore
import Testing

struct BaggageTests {
  private struct Errand: Hashable {
    let name: String
  }

  @Test
  func `baggage unpacks as the type that was packed, and as nothing else`() {
    let baggage = Baggage(Errand(name: "milk"))
    #expect(baggage.unpacked(Errand.self) == Errand(name: "milk"))
    #expect(baggage.unpacked(String.self) == nil)
    #expect(Baggage("milk").unpacked(Errand.self) == nil)
  }

  @Test
  func `baggage equals other baggage with the same content`() {
    #expect(Baggage(Errand(name: "milk")) == Baggage(Errand(name: "milk")))
    #expect(Baggage(Errand(name: "milk")) != Baggage(Errand(name: "bread")))
    #expect(Baggage(Errand(name: "milk")) != Baggage("milk"))
    #expect(Set([Baggage(1), Baggage(1), Baggage(2)]).count == 2)
  }

  @Test
  func `two commands are equal if their words, baggage and overlap are`() {
    #expect(Command("do", 1) == Command("do", 1))
    #expect(Command("do", 1) != Command("do", 1, mayOverlap: true))
  }
}
