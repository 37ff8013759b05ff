import GatewayCore
import Testing

@testable import GatewayRuntime

struct SerialSetTests {
  @Test
  func `a user's connections are the added and not removed ones, in any order`() {
    var generator = SeededGenerator(seed: 7)
    var serials = SerialSet()
    var model: Set<UInt64> = []
    for _ in 0..<10_000 {
      let serial = UInt64.random(in: 1...4, using: &generator)
      if Bool.random(using: &generator) {
        #expect(serials.insert(serial) == model.insert(serial).inserted)
      } else {
        serials.remove(serial)
        model.remove(serial)
      }
      #expect(serials.sorted == model.sorted() && serials.isEmpty == model.isEmpty)
    }
  }
}
