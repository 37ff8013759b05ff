/// One difference between two storms.
struct PlanDifference: Hashable {
  let text: String
  /// Whether it makes them different storms. Another machine, another seed and the gateway's settings do not, since
  /// these are what users compare.
  let isOfThePlan: Bool

  static func all(_ base: RecordedReport, _ value: RecordedReport) -> [PlanDifference] {
    var sides: [(name: String, base: String?, value: String?, isOfThePlan: Bool)] = [
      ("dialect", base.dialect, value.dialect, true), ("machine", base.machine, value.machine, false),
    ]
    sides.append(("list of fleets", names(of: base), names(of: value), true))
    for path in Set(base.settings.keys).union(value.settings.keys).sorted() where !isPlace(path) {
      sides.append(("plan's \(path)", base.settings[path], value.settings[path], decides(path, base, value)))
    }
    let own = sides.filter { side in
      !(side.base ?? absent).utf8.elementsEqual((side.value ?? absent).utf8)
    }.map { side in
      PlanDifference(
        text: "the \(side.name) differs: \(side.base ?? absent), then \(side.value ?? absent)",
        isOfThePlan: side.isOfThePlan)
    }
    return own
      + base.fleets.flatMap { fleet -> [PlanDifference] in
        guard let other = value.fleet(named: fleet.name) else { return [] }
        return all(fleet.report, other).filter(\.isOfThePlan)
          .map { PlanDifference(text: "of the fleet '\(fleet.name)' \($0.text)", isOfThePlan: true) }
      }
  }

  private static func names(of report: RecordedReport) -> String? {
    report.fleets.isEmpty ? nil : report.fleets.map(\.name).joined(separator: ", ")
  }

  /// Whether it is a fleet's place among the others, which follows from them.
  private static func isPlace(_ path: String) -> Bool { path.prefix { $0 != "." }.utf8.elementsEqual("fleet".utf8) }

  private static let absent = "absent"

  private static func decides(_ path: String, _ base: RecordedReport, _ value: RecordedReport) -> Bool {
    let top = path.prefix { $0 != "." }
    guard !freelyChosen.contains(String(top)) else { return false }
    // Older versions of postern do not report all of today's settings.
    func names(_ report: RecordedReport) -> Bool {
      report.settings.keys.contains { $0.prefix { $0 != "." }.utf8.elementsEqual(top.utf8) }
    }
    return optional.contains(String(top)) || (names(base) && names(value))
  }

  /// Settings that may differ between runs of one storm.
  private static let freelyChosen: Set<String> = ["gateway", "seed", "processes", "loops", "sources", "bound"]
  /// Optional settings of a plan.
  private static let optional: Set<String> = ["sdk", "expire_after", "fetch_rate"]
}

extension RecordedReport {
  /// Returns whether both are runs of one storm: of the same plan, in the same dialect.
  package func isOfSameStorm(as other: RecordedReport) -> Bool {
    !PlanDifference.all(other, self).contains(where: \.isOfThePlan)
  }

  /// Returns the part of the fleet of that name; nil if there is none.
  func fleet(named name: String) -> RecordedReport? {
    fleets.first { $0.name.utf8.elementsEqual(name.utf8) }?.report
  }

  /// Returns whether both are reports of the very same run.
  package func isSameRun(as other: RecordedReport) -> Bool {
    startedAt.utf8.elementsEqual(other.startedAt.utf8) && seconds == other.seconds && figures == other.figures
  }
}
