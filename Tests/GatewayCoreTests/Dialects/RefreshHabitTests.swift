import Testing

@testable import GatewayCore

struct RefreshHabitTests {
  @Test(arguments: [0, 0.25, 0.5, 1])
  func `a share of the longest life is a lead, not a trap`(_ share: Double) {
    let life = Duration.nanoseconds(Int64.max)
    let lead = RefreshHabit.Lead.share(share).duration(ofLife: life)
    #expect(lead <= life)
    #expect(abs(lead.inSeconds - life.inSeconds * share) < 1)
  }
}
