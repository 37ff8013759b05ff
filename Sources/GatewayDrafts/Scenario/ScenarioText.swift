internal import GatewayCore
internal import GatewayKit

/// The text of a drafted scenario. No text of the recording is in it but names of wires.
struct ScenarioText {
  private let traffic: Traffic
  private let dialects: [String]
  private let scale: Double

  /// The longest time of an answer in a scenario, in milliseconds.
  private static let latencyMax: Int64 = 600_000

  init(_ traffic: Traffic, dialects: [String], scale: Double) {
    (self.traffic, self.dialects, self.scale) = (traffic, dialects, scale)
  }

  /// Returns the file.
  func text(of fleets: [(wire: Name?, fleet: FleetDraft)], _ provider: ProviderEstimate) -> String {
    var head = ScenarioLines(indent: "")
    head.note("Drafted by postern scenario draft. Read it before you use it: it knows only what was recorded.")
    doubts.forEach { head.note($0) }
    var lines = ScenarioLines(indent: "  ")
    if fleets.count == 1 {
      add(fleets[0].wire, fleets[0].fleet, to: &lines)
    } else {
      lines.member(["  \"fleets\": ["] + objects(of: fleets) + ["  ]"])
    }
    add(provider, to: &lines)
    return (head.lines + ["{"] + lines.lines + ["}"]).joined(separator: "\n")
  }

  private func objects(of fleets: [(wire: Name?, fleet: FleetDraft)]) -> [String] {
    var (lines, names): ([String], Set<String>) = ([], [])
    for (index, fleet) in fleets.enumerated() {
      var object = ScenarioLines(indent: "      ")
      var name = shown(fleet.wire) ?? ""
      if name.isEmpty || !names.insert(name).inserted { name = "fleet-\(index + 1)" }
      object.member("name", "\"\(name)\"")
      add(fleet.wire, fleet.fleet, to: &object)
      lines += ["    {"] + object.lines + [index + 1 < fleets.count ? "    }," : "    }"]
    }
    return lines
  }

  /// Returns a wire's name if it may be a fleet's, and looks like no secret.
  private func shown(_ wire: Name?) -> String? {
    guard let wire, (1...40).contains(wire.text.utf8.count) else { return nil }
    let isName = wire.text.utf8.allSatisfy {
      (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x5f
    }
    var scrubber = SecretScrubber()
    return isName ? scrubber.word(wire.text) : nil
  }

  // MARK: The recording

  private var doubts: [String] {
    var doubts: [String] = []
    if traffic.isHAR {
      doubts.append("A HAR file has no ends of connections. A client counts as present up to the end of the file.")
    } else if traffic.isCut {
      doubts.append("The recording ends within a line. That line is left out.")
    } else if !traffic.hasEnd {
      doubts.append("The recording has no last line: it may have ended before its clients did.")
    }
    if traffic.lost > 0 {
      doubts.append("\(traffic.lost) lines were lost while it was recorded: numbers may be too small.")
    }
    if traffic.leftOut > 0 { doubts.append("\(traffic.leftOut) connections and requests too many are left out.") }
    if traffic.refusedUpgrades > 0 { doubts.append("\(traffic.refusedUpgrades) refused upgrades are no clients here.") }
    if scale != 1 { doubts.append("Clients and rates are \(ScenarioNumber.decimal(scale, 4)) times the recording's.") }
    return doubts
  }

  // MARK: Clients

  private func add(_ wire: Name?, _ fleet: FleetDraft, to lines: inout ScenarioLines) {
    let places = fleet.places(ofScale: scale)
    lines.note(
      fleet.clients == fleet.connections
        ? "\(ScenarioNumber.clients(fleet.clients)) with one connection each, at most \(fleet.peak) at one time."
        : "\(ScenarioNumber.clients(fleet.clients)) in \(fleet.connections) connections, at most \(fleet.peak) at one time. A connection "
          + "of the same user or token within \(Visit.returnMax / 1_000) s after the one before is the same client that "
          + "comes back.")
    if !fleet.stays.steps.isEmpty {
      lines.note("Chance decides who stays how long, so \"clients\" has room for more at one time.")
    }
    lines.member("clients", "\(places)")
    if let wire, let dialect = dialects.first(where: { $0.utf8.elementsEqual(wire.text.utf8) }) {
      lines.member("dialect", "\"\(dialect)\"")
    } else {
      lines.note(
        "Their wire has no \"dialect\" here. Add \"dialect\", or storm with --wire, unless it is Postern's own.")
    }
    addArrivals(fleet, to: &lines)
    addStays(fleet, to: &lines)
    addLives(fleet, to: &lines)
  }

  private func addArrivals(_ fleet: FleetDraft, to lines: inout ScenarioLines) {
    let ramp = Double(fleet.ramp) / 1_000
    var points: [(at: Double, rate: Double)] = []
    if fleet.earlier > 0 {
      lines.note(
        "\(ScenarioNumber.clients(fleet.earlier)) had come before the recording began: here in the first "
          + "\(ScenarioNumber.decimal(ramp, 3)) s.")
    }
    if ramp > 0 { points = [(0, fleet.rampRate), (ramp, fleet.rampRate)] }
    points += fleet.arrivals.points.map { ($0.at + ramp, $0.rate) }
    lines.note("Seconds, and clients a second: \(fleet.clients - fleet.earlier) came while it was recorded.")
    lines.member(
      "arrivals",
      points.map { "[\(ScenarioNumber.decimal($0.at, 3)), \(ScenarioNumber.rate($0.rate * scale))]" })
    lines.member("for_s", ScenarioNumber.seconds(min(fleet.length, ScenarioNumber.timeMax)))
  }

  private func addStays(_ fleet: FleetDraft, to lines: inout ScenarioLines) {
    if fleet.dismissed > 0 {
      lines.note(
        "\(ScenarioNumber.clients(fleet.dismissed)) left together at the end. They count as clients that had not left.")
    }
    if fleet.present > 0 {
      lines.note(
        "\(ScenarioNumber.clients(fleet.present)) had not left at the end: their stays are at least what was recorded.")
    }
    if fleet.strangers > 0 {
      lines.note("\(ScenarioNumber.clients(fleet.strangers)) did not log in: they have no stay.")
    }
    guard !fleet.stays.steps.isEmpty else {
      lines.note("No stay ended in the recording, so there are no \"stays\": all clients stay to the end.")
      return
    }
    var steps = fleet.stays.steps.map { (upTo: min($0.upTo, ScenarioNumber.timeMax - 2), share: $0.share) }
    if fleet.stays.longer > 0 {
      let share = ScenarioNumber.decimal(fleet.stays.longer * 100, 1)
      lines.note("\(share) % stayed longer than the recording shows. In the scenario they stay to the end.")
      let end = max(min(fleet.length, ScenarioNumber.timeMax - 1), (steps.last?.upTo ?? 0) + 1)
      steps += [(end, 0), (min(2 * end, ScenarioNumber.timeMax), fleet.stays.longer)]
    }
    lines.member("stays", ScenarioNumber.shares(steps))
  }

  private func addLives(_ fleet: FleetDraft, to lines: inout ScenarioLines) {
    let known = fleet.clients - fleet.lifeless
    guard known > 0 else {
      lines.note("No life of a token is visible, so there are no \"lives\". Add \"life_s\" if it is not an hour.")
      return
    }
    if fleet.lifeless > 0 {
      lines.note("\(fleet.lifeless) clients showed no life of a token. The shares are those of the other \(known).")
    }
    let lives = fleet.lives.lives.map {
      (upTo: min($0.life, ScenarioNumber.timeMax), share: Double($0.clients) / Double(known))
    }
    lines.member("lives", ScenarioNumber.shares(Self.joined(lives)))
  }

  /// Returns steps with one step for each time: all lives above thirty days are of thirty days.
  private static func joined(_ steps: [(upTo: Int64, share: Double)]) -> [(upTo: Int64, share: Double)] {
    var joined: [(upTo: Int64, share: Double)] = []
    for step in steps {
      if let last = joined.last, last.upTo == step.upTo {
        joined[joined.count - 1].share += step.share
      } else {
        joined.append(step)
      }
    }
    return joined
  }

  // MARK: The provider

  private func add(_ provider: ProviderEstimate, to lines: inout ScenarioLines) {
    guard provider.calls > 0 else {
      lines.note("No request for a token is visible: add \"provider\" if a simulation is to have a slow one.")
      return
    }
    let refused = provider.refused > 0 ? " \(provider.refused) were refused, which is no failure." : ""
    lines.note("\(provider.calls) requests for tokens, \(provider.failed) of them failed.\(refused)")
    if provider.failed > 0 {
      lines.note("A client that got no token, and so never connected, is not among the clients.")
    }
    var members: [String] = []
    if let latency = provider.latency, latency.upperBound > 0 {
      lines.note("At most \(provider.atOnce) were answered at one time. The endpoint may be able to do more.")
      let range =
        latency.lowerBound == latency.upperBound
        ? "\(min(latency.lowerBound, Self.latencyMax))"
        : "[\(min(latency.lowerBound, Self.latencyMax)), \(min(latency.upperBound, Self.latencyMax))]"
      let places = max(1, Int((Double(provider.atOnce) * scale).rounded(.up)))
      members += ["\"concurrency\": \(places)", "\"latency_ms\": \(range)"]
    } else if provider.latency == nil {
      lines.note("The recording does not say how long the answers took.")
    }
    if provider.failed > 0 { members.append("\"failure_rate\": \(ScenarioNumber.decimal(provider.failureRate, 4))") }
    if !members.isEmpty { lines.member("provider", "{ \(members.joined(separator: ", ")) }") }
  }
}
