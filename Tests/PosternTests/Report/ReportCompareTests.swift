import GatewayKit
import GatewayReport
import Testing

@testable import postern

struct ReportCompareTests {
  private static func rule(_ words: String...) throws -> ComparisonRule {
    try ReportCompareCommand.rule(
      Arguments(words, flags: ReportCompareCommand.flags, environment: [:], operands: true, among: []))
  }

  @Test
  func `tolerances are shares or percentages, for all metrics and for one`() throws {
    #expect(try Self.rule().tolerance == nil)
    let rule = try Self.rule(
      "--tolerance", "25%", "--metric", "lost", "--metric", "refresh.p99=2", "--metric", "web:lost=5%")
    #expect(rule.tolerance == 0.25)
    #expect(rule.asked.map(\.metric.name) == ["lost", "refresh.p99", "lost"])
    #expect(rule.asked.map(\.tolerance) == [nil, 2, 0.05] && rule.asked.map(\.fleet) == [nil, nil, "web"])
  }

  @Test(arguments: [
    ("--metric=refresh.p98", "names no metric; did you mean"),
    ("--metric=web:refresh.p98", "names no metric; did you mean"), ("--metric=refresh.asked", "which of two is better"),
    ("--tolerance=-1%", "a share"), ("--tolerance=much", "a share"), ("--metric=lost=", "a share"),
    ("--tolerance=nan", "a share"),
  ])
  func `a comparison without a usable rule or report is refused`(word: String, says: String) {
    let error = #expect(throws: UsageError.self) { try Self.rule(word) }
    #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
  }
}
