import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

extension ConformScene {
  private struct Judged: Decodable {
    let verdict: String
    let sentence: String
  }

  /// Checks all demands until everything is decided or `patience` has passed.
  ///
  /// Demands that have held are checked once more after a moment: what a wrong client does at once after its return may arrive
  /// behind the line that decided.
  func judge(_ demands: [Demand], patience: Duration) async throws -> (
    verdict: ConformResult.Verdict, sentences: [String], lines: [String]
  ) {
    let end = now + min(patience, rest)
    let judged = try await judge(demands, until: end)
    guard judged.verdict == .passed, rest > Self.settlingTime * 2 else { return judged }
    try await settle()
    let again = try await judge(demands, until: now)
    return again.verdict == .failed ? again : judged
  }

  private func judge(_ demands: [Demand], until end: Instant) async throws -> (
    verdict: ConformResult.Verdict, sentences: [String], lines: [String]
  ) {
    var (verdicts, sentences, lines): ([ConformResult.Verdict], [String], [String]) = ([], [], [])
    for demand in demands {
      while true {
        let (verdict, sentence, told) = try await judge(demand)
        if verdict == .undecided, rest > .zero, now < end {
          await loop.events.sleep(until: loop.events.now + .milliseconds(100))
          continue
        }
        verdicts.append(verdict)
        sentences.append("\(demand.name) \(verdict.words): \(sentence)")
        if verdict == .failed { lines += told }
        break
      }
    }
    let whole = ConformResult.whole(verdicts)
    let said = zip(verdicts, sentences).filter { $0.0 == whole }.map(\.1)
    return (whole, said, lines)
  }

  private func judge(_ demand: Demand) async throws -> (ConformResult.Verdict, String, [String]) {
    // A client may start with a token of its provider; that call answers no request.
    let after = demand.isOfProvider ? memory.loggedIn ?? beginning : beginning
    var order = demand.order
    (order.user, order.dialect, order.after, order.late) = (user, dialect, JournalPlace(after), clock.late)
    let answer = try await send(.post("/journal/expect", order))
    let judged = try JSONCoder().decode(Judged.self, from: answer.data)
    return (
      ConformResult.Verdict(rawValue: judged.verdict) ?? .undecided, judged.sentence, JournalLines.texts(answer.data)
    )
  }
}
