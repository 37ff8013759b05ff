internal import GatewayCore

/// A scenario drafted from a recording: the clients that come and go, how long they stay, the lives of their tokens, and the
/// token endpoint.
package struct ScenarioDraft {
  /// The file's text: JSON with comments.
  package let text: String
  /// The counts, as text for people.
  package let outline: String

  /// The most that a scenario may be larger or smaller than the recording.
  package static let clientsMax = 1_000_000

  /// Drafts a scenario. Throws a sentence if the recording shows no client.
  ///
  /// - Parameters:
  ///   - traffic: The recording.
  ///   - dialects: The wires that a scenario's `dialect` can name.
  ///   - clients: The most clients at one time, in place of the recording's; nil for as many.
  package init(_ traffic: Traffic, dialects: [String], clients: Int? = nil) throws(Recording.Malformed) {
    let visits = Visit.all(of: traffic)
    guard !visits.isEmpty else {
      throw Recording.Malformed(
        description: traffic.refusedUpgrades > 0
          ? "all \(traffic.refusedUpgrades) upgrades in it were refused: record clients that connect"
          : "it shows no connection: record while clients connect")
    }
    let span = Self.span(of: visits, in: traffic)
    guard span.upperBound - span.lowerBound < ScenarioNumber.timeMax - 20_000 else {
      let days = (span.upperBound - span.lowerBound) / 86_400_000
      throw Recording.Malformed(
        description: "it lasts \(days) days, and a scenario lasts less than 30: record a shorter time")
    }
    let hasEarlier = visits.contains { $0.arrivedAt == nil }
    let ramp = hasEarlier ? max(1_000, min(10_000, (span.upperBound - span.lowerBound) / 10)) : 0
    var groups: [Int: [Visit]] = [:]
    for visit in visits { groups[visit.wire ?? -1, default: []].append(visit) }
    let fleets = groups.sorted { $0.key < $1.key }.map { number, visits in
      (wire: number < 0 ? nil : traffic.wires[number], fleet: FleetDraft(visits, span: span, ramp: ramp))
    }
    let peak = fleets.reduce(0) { $0 + $1.fleet.peak }
    let scale = clients.map { Double($0) / Double(max(1, peak)) } ?? 1
    let writer = ScenarioText(traffic, dialects: dialects, scale: scale)
    text = writer.text(of: fleets.map { ($0.wire, $0.fleet) }, ProviderEstimate(traffic.calls))
    let seconds = ScenarioNumber.seconds(span.upperBound - span.lowerBound + ramp)
    outline =
      "\(ScenarioNumber.clients(visits.count)) in \(traffic.connections.count) connections, at most \(peak) at one time, \(seconds) s"
  }

  /// Returns the time in which there were clients: up to the end of the recording if some were there then.
  private static func span(of visits: [Visit], in traffic: Traffic) -> ClosedRange<Int64> {
    let hasEarlier = visits.contains { $0.arrivedAt == nil }
    let seen = traffic.connections.lazy.map(\.seenAt).min() ?? 0
    let first = min(seen, visits.lazy.compactMap(\.arrivedAt).min() ?? seen)
    let last = visits.allSatisfy { $0.leftAt != nil } ? visits.lazy.compactMap(\.leftAt).max() : nil
    return (hasEarlier ? seen : first)...max(first + 1_000, last ?? traffic.endsAt, seen)
  }
}
