import GatewayCore
import GatewayKit
import Testing

struct BudgetTextTests {
  @Test(arguments: [
    "user=30/60s", "address=2000/60s,ban=500/60s:900s", "all=1000/1s,kind=sliding,retry-after=none",
    "user=5/500.0ms,retry-after=10-60", "address=1/3600s,status=403,retry-after=30,ban=3/60s:60s,ban-status=429",
    "user=1/1s,retry-after=date",
  ])
  func `a budget is read from its text and written as the same`(text: String) throws {
    let budget = try BudgetText.parse(text)
    #expect(budget.text == text && budget.isPossible)
  }

  @Test(arguments: [
    "", "user", "user=", "user=30", "user=0/60s", "user=30/60", "user=30/0s", "user=30/31d", "users=30/60s",
    "user=30/60s,", "user=30/60s,user=30/60s", "user=30/60s,status=503", "user=30/60s,kind=log",
    "user=30/60s,retry-after=soon", "user=30/60s,retry-after=60-10", "user=30/60s,retry-after=-1",
    "user=30/60s,retry-after=1-2-3", "user=30/60s,ban=5", "user=30/60s,ban=5/60s", "user=30/60s,ban=0/60s:1m",
    "user=30/60s,ban-status=403", "user=30/60s,of=renew", "user=9999999999999999999/60s", "user=30/1e300d",
    "user=30/60s,retry-after=99999999999999999999",
  ])
  func `a text that is not a budget is refused, and the error names what is expected`(text: String) {
    let mistake = #expect(throws: BudgetText.Mistake.self) { try BudgetText.parse(text) }
    #expect((mistake?.description.utf8.count ?? 0) > 20)
  }
}
