import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayPlanner
import GatewayReport
import GatewayWires

/// A scenario file, for a storm and a simulated one alike. It is JSON, and may have comments.
struct ScenarioFile {
  /// The fleet, the simulated gateway and provider, and the phases.
  let world: SimulateScenario

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - source: The flag or operand that names it.
  init(_ path: String, of source: String) throws {
    try self.init(
      parsing: try InputFile.readLocal(path, of: source, sizeMax: DescriptionFile.sizeMax), path: path, of: source)
    for notice in world.notices { Output.error("\(path): \(notice)") }
  }

  /// Parses a file's bytes; `path` and `source` are its names in errors.
  init(parsing bytes: [UInt8], path: String, of source: String) throws {
    do {
      let file = try DescriptionFile.parse(bytes, file: path)
      var world = try SimulateScenario(file)
      if let scenario = try Self.phases(of: file) {
        world.settings.scenario = scenario
        for index in world.fleets.indices { world.fleets[index].scenario.settings.scenario = scenario }
        world.phaseThresholds = try Self.thresholds(scenario, of: file)
      }
      self.world = world
    } catch let error as DescriptionError {
      throw UsageError("\(source): \(error)")
    }
  }

  /// Returns the phases; nil if the file has none.
  private static func phases(of file: Described) throws -> StormScenario? {
    guard let phases = file.at([Step("phases")]) else { return nil }
    for phase in try phases.elements() { _ = try phase.object(ScenarioPhase.keys) }
    let text = JSONWriter.object { json in
      json.name("phases")
      phases.value.write(to: &json)
    }
    do {
      return try JSONCoder().decode(StormScenario.self, from: text)
    } catch let error as DecodingError {
      throw Self.described(error, in: file)
    }
  }

  private static func thresholds(
    _ scenario: StormScenario, of file: Described
  ) throws -> [(phase: String, threshold: Threshold)] {
    try scenario.phases.enumerated().flatMap { index, phase in
      try phase.thresholds.enumerated().map { number, text in
        let place = file.at([Step("phases"), Step(index), Step("thresholds"), Step(number)]) ?? file
        do {
          let threshold = try Threshold(parsing: text)
          guard threshold.fleet == nil else {
            throw place.error("'\(text)' names a fleet; the thresholds of a phase are of all fleets")
          }
          guard threshold.metric.isOfPhases else {
            throw place.error("\(threshold.metric.name) is known only of a whole storm (--threshold)")
          }
          return (phase: phase.name, threshold: threshold)
        } catch let error as ThresholdError {
          throw place.error("\(error)")
        }
      }
    }
  }

  /// A step of a path into the file.
  private struct Step: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init(_ index: Int) { (stringValue, intValue) = ("\(index)", index) }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
  }

  /// Returns the error with its place in the file.
  private static func described(_ error: DecodingError, in file: Described) -> DescriptionError {
    let (path, reason): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context): (context.codingPath, "lacks \"\(key.stringValue)\"")
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        (context.codingPath, context.debugDescription)
      @unknown default: ([], "\(error)")
      }
    var known = path
    while !known.isEmpty {
      if let place = file.at(known) { return place.error(reason) }
      known.removeLast()
    }
    return file.error(reason)
  }
}

extension Described {
  /// Returns the value at the end of a path; nil if there is none.
  fileprivate func at(_ path: [any CodingKey]) -> Described? {
    var found = self
    for step in path {
      let next =
        if let index = step.intValue {
          (try? found.elements()).flatMap { $0.indices.contains(index) ? $0[index] : nil }
        } else {
          (try? found.members())?.first { $0.name.utf8.elementsEqual(step.stringValue.utf8) }?.value
        }
      guard let next else { return nil }
      found = next
    }
    return found
  }
}
