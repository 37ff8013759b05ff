import GatewayCore
import GatewayJSON
import GatewayKit

/// This process's part of a storm with several processes. It is given in the environment, so that the command line is the
/// storm's own.
struct StormPart: Hashable, Codable {
  static let variable = "POSTERN_STORM_PART"

  let process: Int
  /// The number of parts.
  let processes: Int
  /// The time of the first connect, in nanoseconds since 1970, by the clock of the machine that starts the storm.
  let startsAt: Int64
  /// The offset of this machine's clock from that one, in nanoseconds; positive if it is ahead.
  var clockError: Int64 = 0
  /// The name of the whole storm, which its targets see.
  let run: String
  /// The resolved hosts, the same for all parts.
  let pins: [PinnedHost]

  init(process: Int, processes: Int, startsAt: WallTime, run: String, pins: [PinnedHost]) {
    self.run = run
    self.pins = pins
    self.process = process
    self.processes = processes
    self.startsAt = startsAt.nanoseconds
  }

  /// Returns the part in the environment; nil if this process is no part of a storm.
  static func read(_ environment: [String: String]) throws -> StormPart? {
    guard let text = environment[variable] else { return nil }
    guard let part = try? JSONCoder().decode(StormPart.self, from: text), part.isOne else {
      throw UsageError("\(variable) is for the parts of a storm, and says which one this is; it does not now")
    }
    return part
  }

  /// Whether the part is within bounds that keep the arithmetic of time far from overflow.
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
