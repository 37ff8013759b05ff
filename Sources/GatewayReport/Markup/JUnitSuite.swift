internal import GatewayCore
internal import GatewayFleet

/// Test results in the XML of JUnit, for CI systems.
package struct JUnitSuite: Sendable {
  /// The outcome of a case.
  package enum Outcome: Sendable {
    case passed
    /// The reason in a line, and all details.
    case failed(String, details: String)
    case skipped(String)
  }

  /// One case of the suite with its duration.
  package struct Case: Sendable {
    package let name: String
    package let time: Duration
    package let outcome: Outcome

    package init(_ name: String, time: Duration, _ outcome: Outcome) {
      self.name = name
      self.time = time
      self.outcome = outcome
    }
  }

  package let name: String
  package let className: String
  package let cases: [Case]

  package init(name: String, className: String, cases: [Case]) {
    self.name = name
    self.className = className
    self.cases = cases
  }

  package var text: String {
    let failed = cases.count { if case .failed = $0.outcome { true } else { false } }
    let skipped = cases.count { if case .skipped = $0.outcome { true } else { false } }
    let total = cases.reduce(Duration.zero) { $0 + $1.time }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="\(Self.escaped(name))" tests="\(cases.count)" failures="\(failed)" errors="0" \
      skipped="\(skipped)" time="\(Self.seconds(total))">
      \(cases.map(testcase).joined(separator: "\n"))
      </testsuite>

      """
  }

  private func testcase(_ one: Case) -> String {
    let head =
      "  <testcase classname=\"\(Self.escaped(className))\" name=\"\(Self.escaped(one.name))\" "
      + "time=\"\(Self.seconds(one.time))\""
    switch one.outcome {
    case .passed: return "\(head)/>"
    case .failed(let message, let details):
      return
        "\(head)>\n    <failure message=\"\(Self.escaped(message))\">\(Self.escaped(details))</failure>\n  </testcase>"
    case .skipped(let message):
      return "\(head)>\n    <skipped message=\"\(Self.escaped(message))\"/>\n  </testcase>"
    }
  }

  private static func seconds(_ duration: Duration) -> String { "\(Double(duration.milliseconds) / 1_000)" }

  /// Returns text with the characters that XML 1.0 (section 2.2) allows; others are replaced.
  package static func escaped(_ text: String) -> String {
    var allowed = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t", "\n", "\u{20}"..."\u{d7ff}", "\u{e000}"..."\u{fffd}", "\u{10000}"..."\u{10ffff}":
        allowed.append(scalar)
      default: allowed.append("\u{fffd}")
      }
    }
    return Escaping.markup(String(allowed))
  }
}
