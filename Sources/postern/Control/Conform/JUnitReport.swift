import GatewayCore
import GatewayReport

/// The results of a conformance run as JUnit's XML, for CI systems.
struct JUnitReport {
  let dialect: String
  let results: [ConformResult]

  var text: String {
    JUnitSuite(name: "postern \(dialect)", className: "postern.\(dialect)", cases: results.map(Self.testcase)).text
  }

  private static func testcase(_ result: ConformResult) -> JUnitSuite.Case {
    JUnitSuite.Case(result.behaviour.name, time: result.duration, outcome(result))
  }

  private static func outcome(_ result: ConformResult) -> JUnitSuite.Outcome {
    let message = result.sentences.joined(separator: "; ")
    switch result.verdict {
    case .passed: return .passed
    case .failed: return .failed(message, details: ConformReport.story(of: result))
    case .undecided, .notApplicable: return .skipped("\(result.verdict.words): \(message)")
    }
  }
}
