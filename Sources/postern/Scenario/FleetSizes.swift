import GatewayFleet
import GatewayKit
import GatewayPlanner

/// The numbers of clients that flags give: one for the only fleet, or one for each of several by its name.
struct FleetSizes: Sendable {
  private(set) var only: (clients: Int, source: String)?
  private(set) var named: [(fleet: String, clients: Int, source: String)] = []

  /// Reads a value: `500`, or `web=500`.
  mutating func add(_ value: Arguments.Value, upTo most: Int) throws {
    guard let sign = value.text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      guard only == nil else { throw UsageError("\(value.source) is given twice; remove one") }
      only = (try value.int(in: 1...most), value.source)
      return
    }
    let fleet = String(value.text[..<sign])
    let number = Arguments.Value(
      text: String(value.text[value.text.utf8.index(after: sign)...]), source: "\(value.source) \(fleet)")
    guard !named.contains(where: { $0.fleet.utf8.elementsEqual(fleet.utf8) }) else {
      throw UsageError("\(value.source) \(fleet)= is given twice; remove one")
    }
    named.append((fleet, try number.int(in: 1...most), value.source))
  }

  /// Throws if a number names no fleet of a scenario.
  ///
  /// - Parameters:
  ///   - fleets: The names of the fleets; none for a scenario of one fleet.
  ///   - file: The name of the scenario in errors.
  func check(_ fleets: [String], in file: String) throws {
    if let only, let first = fleets.first {
      let count = fleets.count == 1 ? "a fleet with a name" : "\(fleets.count) fleets"
      throw UsageError("\(only.source): \(file) has \(count); say \(only.source) \(first)=\(only.clients)")
    }
    for size in named where !fleets.contains(where: { $0.utf8.elementsEqual(size.fleet.utf8) }) {
      guard !fleets.isEmpty else {
        throw UsageError("\(size.source): \(file) has no \"fleets\"; say \(size.source) \(size.clients)")
      }
      throw UsageError(
        "\(size.source): \(file) has no fleet '\(size.fleet)'; there are \(fleets.joined(separator: ", "))")
    }
  }
}

extension SimulateScenario {
  /// Sets the numbers of clients of all fleets that flags name.
  mutating func resize(_ sizes: FleetSizes, file: String) throws {
    try sizes.check(fleets.map(\.name), in: file)
    if let only = sizes.only { settings = settings.scaled(toClients: only.clients, withProvider: false) }
    for size in sizes.named {
      for index in fleets.indices where fleets[index].name.utf8.elementsEqual(size.fleet.utf8) {
        fleets[index].scenario.settings = fleets[index].scenario.settings.scaled(
          toClients: size.clients, withProvider: false)
      }
    }
  }
}
