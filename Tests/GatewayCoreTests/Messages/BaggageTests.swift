import GatewayCore
import Testing

@Suite("What a vendor carries through the gateway")
struct BaggageTests {
  private struct Errand: Hashable {
    let name: String
  }

  @Test("comes out as it was put in, and as nothing else")
  func unpacking() {
    let baggage = Baggage(Errand(name: "milk"))
    #expect(baggage.unpacked(Errand.self) == Errand(name: "milk"))
    #expect(baggage.unpacked(String.self) == nil)
    #expect(Baggage("milk").unpacked(Errand.self) == nil)
  }

  @Test("is equal to what carries the same, whoever packed it")
  func equality() {
    #expect(Baggage(Errand(name: "milk")) == Baggage(Errand(name: "milk")))
    #expect(Baggage(Errand(name: "milk")) != Baggage(Errand(name: "bread")))
    #expect(Baggage(Errand(name: "milk")) != Baggage("milk"))
    #expect(Set([Baggage(1), Baggage(1), Baggage(2)]).count == 2)
  }

  @Test("makes two commands one that say the same, and two that may not overlap alike")
  func commands() {
    #expect(Command("do", 1) == Command("do", 1))
    #expect(Command("do", 1) != Command("do", 1, mayOverlap: true))
  }
}
