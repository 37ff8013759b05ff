import GatewayFleet
import GatewayPlanner
import GatewayReport

/// A table of the ways to ask again: whether each holds, and its figures.
struct BackoffText {
  let trials: [(habit: RetryHabit, trial: Planner.Trial)]
  let answer: Planner.Answer
  let scenario: SimulateScenario

  var lines: [String] {
    let columns = PlanColumns(scenario)
    let rows = trials.map { habit, trial in
      [habit.name, trial.passes ? "holds" : "fails"] + columns.texts(trial.result)
    }
    return [verdict] + TextTable.columns([["", ""] + columns.names] + rows, rightFrom: 2) + ["  \(answer.runs) worlds"]
  }

  private var verdict: String {
    let keeps = scenario.wishes.joined(separator: ", ")
    guard let best else {
      return
        "backoff: no kind keeps \(keeps); ask how little provider would: --ask capacity, or for another first wait: --ask base_s"
    }
    let clients = Figures.count(scenario.settings.plan.clients)
    let proof =
      answer.bytesMissed != nil
      ? "; NOT proven: the world of full size would take more memory than is free"
      : answer.proof.map {
        $0.passes ? "; proven with \(clients) clients" : "; NOT proven: with \(clients) clients it does not"
      }
    return "backoff: \(best.name) keeps \(keeps) with the fewest calls of the provider\(proof ?? "")"
  }

  private var best: RetryHabit? {
    answer.value.flatMap { value in trials.first { $0.trial.value == value.value }?.habit }
  }
}
