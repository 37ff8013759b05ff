import GatewayFleet
import GatewayWires

// The keys of a scenario for clients that come and go: `arrivals`, `stays`, `for_s`, and the `lives` of tokens.

extension SimulateScenario {
  static let arrivalKeys = ["arrivals", "stays", "for_s", "lives"]
  /// The keys that mean nothing for clients that come and go.
  private static let closedKeys = ["rate", "ramp_s", "hold_s", "expire_after_s", "waves"]

  /// Reads the keys. `find` returns the value of a key.
  static func readArrivals(_ find: (String) -> Described?, into plan: inout StormPlan) throws {
    if let lives = find("lives") {
      let steps = try shares(lives, "lives")
      guard find("life_s") == nil else {
        throw lives.error("\"life_s\" is one life for all; give it or \"lives\", not both")
      }
      plan.lives = steps
      plan.life = .nanoseconds(Int64((steps.last?.seconds ?? 1) * 1e9))
    }
    guard let arrivals = find("arrivals") else {
      for key in ["stays", "for_s"] {
        if let value = find(key) { throw value.error("\"\(key)\" needs \"arrivals\", e.g. [[0, 0], [60, 200]]") }
      }
      return
    }
    for key in closedKeys {
      guard let value = find(key) else { continue }
      throw value.error("\"\(key)\" is of a fleet that comes once, and \"arrivals\" says when clients come; remove one")
    }
    if let expiry = find("expiry"), plan.expiry == .common {
      throw expiry.error("clients that come by \"arrivals\" have tokens that end each by itself; expected \"own\"")
    }
    plan.expiry = .own
    let points = try points(arrivals)
    let length = try find("for_s").map { try $0.number(in: 0.001...secondsMax) } ?? points[points.count - 1].at
    guard length > 0 else {
      throw arrivals.error("one rate has no end; add \"for_s\", how many seconds the storm lasts")
    }
    plan.arrivals = OpenArrivals(points: points, stays: try find("stays").map(stays), length: length)
    plan.rate = max(0.001, points.map(\.rate).max() ?? 0.001)
    guard ArrivalPacer(plan.arrivals ?? .init(points: points, length: length)).count > 0 else {
      throw arrivals.error("nobody comes within \(Figures.decimal(length, places: 1)) s; expected a rate above 0")
    }
  }

  private static func points(_ described: Described) throws -> [OpenArrivals.Point] {
    var points: [OpenArrivals.Point] = []
    for element in try described.elements() {
      let pair = try element.elements()
      guard pair.count == 2 else { throw element.error("expected a time in seconds and a rate in clients a second") }
      let point = OpenArrivals.Point(
        at: try pair[0].number(in: 0...secondsMax), rate: try pair[1].number(in: 0...1_000_000))
      if let last = points.last, last.at > point.at {
        throw pair[0].error("\(Figures.decimal(point.at, places: 3)) s is before the time ahead of it")
      }
      points.append(point)
    }
    guard (1...OpenArrivals.pointsMax).contains(points.count) else {
      throw described.error(
        "expected 1 to \(OpenArrivals.pointsMax) pairs of a time and a rate, as [[0, 0], [60, 200]]")
    }
    return points
  }

  private static func stays(_ described: Described) throws -> OpenArrivals.Stays {
    if let seconds = try? described.number(in: 0.001...secondsMax) { return .fixed(seconds: seconds) }
    if let mean = try? described.object(["mean_s"]) {
      guard let seconds = mean["mean_s"] else { throw described.error("expected \"mean_s\", e.g. {\"mean_s\": 600}") }
      return .exponential(mean: try seconds.number(in: 0.001...secondsMax))
    }
    guard (try? described.elements()) != nil else {
      throw described.error("expected seconds, pairs as [[30, 0.5], [600, 0.5]], or {\"mean_s\": 600}")
    }
    return .steps(by: try shares(described, "stays"))
  }

  /// Reads pairs of seconds and a share, in ascending order.
  private static func shares(_ described: Described, _ key: String) throws -> [ShareUpTo] {
    var steps: [ShareUpTo] = []
    for element in try described.elements() {
      let pair = try element.elements()
      guard pair.count == 2 else { throw element.error("expected a time in seconds and a share, as [600, 0.4]") }
      let step = ShareUpTo(seconds: try pair[0].number(in: 0.001...secondsMax), share: try pair[1].number(in: 0...1))
      if let last = steps.last, last.seconds >= step.seconds {
        throw pair[0].error("\(Figures.decimal(step.seconds, places: 3)) s is not after the time ahead of it")
      }
      steps.append(step)
    }
    let sum = steps.reduce(0) { $0 + $1.share }
    guard (1...OpenArrivals.pointsMax).contains(steps.count), abs(sum - 1) <= 0.001 else {
      throw described.error(
        "expected pairs of a time and a share whose shares come to 1, not \(Figures.decimal(sum, places: 3))")
    }
    return steps
  }
}
