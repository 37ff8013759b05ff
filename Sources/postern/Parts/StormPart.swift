import GatewayCore
import GatewayJSON
import GatewayKit

/// The part of a storm that this process carries out, e.g. the second of four.
///
/// The starting process puts it into the environment, so that the command line is the storm's own.
struct StormPart: Hashable, Codable {
  static let variable = "POSTERN_STORM_PART"

  let process: Int
  /// How many parts there are.
  let processes: Int
  /// The time of the first connection, in nanoseconds since 1970, by the clock of the process that gave the order.
  let startsAt: Int64
  /// How far this machine's clock is ahead of that one, in nanoseconds.
  var clockError: Int64 = 0
  /// The name of the whole storm's run, as its targets see it.
  let run: String
  /// The hosts that were looked up, for all parts alike.
  let pins: [PinnedHost]

  init(process: Int, processes: Int, startsAt: WallTime, run: String, pins: [PinnedHost]) {
    self.run = run
    self.pins = pins
    self.process = process
    self.processes = processes
    self.startsAt = startsAt.nanoseconds
  }

  /// The part that the environment says this process has; nil for one that nobody made a part of something.
  static func read(_ environment: [String: String]) throws -> StormPart? {
    guard let text = environment[variable] else { return nil }
    guard let part = try? JSONCoder().decode(StormPart.self, from: text), part.isOne else {
      throw UsageError("\(variable) is for the parts of a storm, and says which one this is; it does not now")
    }
    return part
  }

  /// Whether there may be such a part: bounds that keep the arithmetic of time far from its ends.
  private var isOne: Bool {
    (1...Self.processesMax).contains(processes) && (0..<processes).contains(process)
      && run.utf8.count <= 16 && run.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
      && pins.count <= Self.pinsMax && pins.allSatisfy(\.isOne) && (0...Self.latest).contains(startsAt)
      && (-Self.clockErrorMax...Self.clockErrorMax).contains(clockError)
  }

  private static let pinsMax = 1_000
  private static let processesMax = 1_000
  /// The year 2200.
  private static let latest: Int64 = 7_258_118_400_000_000_000
  /// Two days.
  private static let clockErrorMax: Int64 = 172_800_000_000_000

  var environment: [String: String] {
    get throws { [Self.variable: try JSONCoder().text(self)] }
  }
}
