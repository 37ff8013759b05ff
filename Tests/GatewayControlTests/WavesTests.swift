import GatewayCore
import GatewayRuntime
import Testing

@testable import GatewayControl

struct WavesTests {
  private func reading(_ fill: (inout [UInt32]) -> Void) -> HorizonReading {
    var reading = HorizonReading()
    fill(&reading.seconds)
    return reading
  }

  @Test(arguments: [0, 1, 9, 10, 299, 3_599])
  func `a wave is a second in which far more tokens end than elsewhere`(second: Int) {
    let waves = Waves.all(in: reading { $0[second] = 15_000 })
    #expect(waves == [Waves.Wave(seconds: second..<second + 1, tokens: 15_000)])
  }

  @Test(arguments: [60, 300, 1_800, 3_600], [1, 40])
  func `tokens that expire evenly make no wave, however short their life is`(life: Int, each: UInt32) {
    let waves = Waves.all(in: reading { seconds in for second in 0..<life { seconds[second] = each } })
    #expect(waves.isEmpty)
  }

  @Test
  func `waves are distinguished from tokens that expire evenly around them, and from each other`() {
    let waves = Waves.all(
      in: reading { seconds in
        for second in seconds.indices { seconds[second] = 1 }
        for second in 295..<305 { seconds[second] = 400 }
        seconds[1_805] = 9_000
      })
    #expect(waves.map(\.seconds) == [295..<305, 1_805..<1_806] && waves.map(\.tokens) == [4_000, 9_000])
  }

  @Test
  func `a handful of tokens is no wave, and there are at most eight waves`() {
    #expect(Waves.all(in: HorizonReading()).isEmpty)
    #expect(Waves.all(in: reading { $0[100] = 9 }).isEmpty)
    let many = Waves.all(in: reading { seconds in for wave in 1...12 { seconds[wave * 290] = 500 } })
    #expect(many.count == 8 && many[0].seconds == 290..<291)
  }
}
