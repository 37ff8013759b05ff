import GatewayKit
import GatewayReport
import Testing

@testable import postern

@Suite("postern report compare")
struct ReportCompareTests {
  private static func rule(_ words: String...) throws -> ComparisonRule {
    try ReportCompareCommand.rule(
      Arguments(words, flags: ReportCompareCommand.flags, environment: [:], operands: true, among: []))
  }

  @Test("takes tolerances as shares and as percentages, for all and for one")
  func tolerances() throws {
    #expect(try Self.rule().tolerance == nil)
    let rule = try Self.rule("--tolerance", "25%", "--metric", "lost", "--metric", "refresh.p99=2")
    #expect(rule.tolerance == 0.25)
    #expect(rule.asked.map(\.metric.name) == ["lost", "refresh.p99"])
    #expect(rule.asked.map(\.tolerance) == [nil, 2])
  }

  @Test(
    "refuses what it cannot judge by",
    arguments: [
      ("--metric=refresh.p98", "names no metric; did you mean"), ("--metric=refresh.asked", "which of two is better"),
      ("--tolerance=-1%", "a share"), ("--tolerance=much", "a share"), ("--metric=lost=", "a share"),
      ("--tolerance=nan", "a share"),
    ])
  func refused(word: String, says: String) {
    let error = #expect(throws: UsageError.self) { try Self.rule(word) }
    #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
  }
}
