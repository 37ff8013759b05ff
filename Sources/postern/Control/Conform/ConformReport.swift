import GatewayCore

/// The results of a conformance run for people: a table, and the details of each failure.
struct ConformReport {
  let results: [ConformResult]

  private static let linesMax = 20

  var text: String { ([table] + failures + [sum]).joined(separator: "\n") }

  private var table: String {
    var rows = [["BEHAVIOUR", "COVERS", "VERDICT", "TIME"]]
    for result in results {
      rows.append([
        result.behaviour.name, result.behaviour.covers.joined(separator: " "), result.verdict.words,
        "\(result.duration.milliseconds) ms",
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private var failures: [String] {
    let told = results.filter { $0.verdict != .passed }
    let tried = told.filter { $0.verdict != .notApplicable }.map { "\n\($0.behaviour.name): \(Self.story(of: $0))" }
    let others = told.filter { $0.verdict == .notApplicable }.map {
      "\($0.behaviour.name): \($0.sentences.joined(separator: "; "))"
    }
    return tried + (others.isEmpty ? [] : ["\nNot applicable:"] + others)
  }

  /// Returns the details of a result that is no success.
  static func story(of result: ConformResult) -> String {
    var parts = [result.behaviour.sentence] + result.sentences.map { "  \($0)" }
    if result.verdict == .failed {
      parts += result.lines.prefix(linesMax).map { "    \($0)" }
      parts += result.output.split(separator: "\n").suffix(linesMax).map { "  | \($0)" }
    }
    return parts.joined(separator: "\n")
  }

  private var sum: String {
    let counts = ConformResult.Verdict.allCases.map { verdict in
      "\(results.count { $0.verdict == verdict }) \(verdict.words)"
    }
    return "\n\(counts.joined(separator: ", "))"
  }
}
