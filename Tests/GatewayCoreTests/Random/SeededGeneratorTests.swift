import GatewayCore
import Testing

struct SeededGeneratorTests {
  @Test
  func `the seeded generator is SplitMix64: the published numbers for the seed 1234567`() {
    var generator = SeededGenerator(seed: 1_234_567)
    let numbers = (0..<5).map { _ in generator.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test
  func `shares of the seeded generator lie between 0 and 1, without 1, and are spread evenly`() {
    var generator = SeededGenerator(seed: 1)
    var counts = Array(repeating: 0, count: 10)
    for _ in 0..<10_000 {
      let share = generator.nextShare()
      #expect((0..<1).contains(share))
      counts[Int(share * 10)] += 1
    }
    #expect(counts.allSatisfy { (850...1_150).contains($0) })
  }
}
