import Foundation
import GatewayCore

/// Which part of a storm of several processes this process is. The parent says it in the environment, so that the
/// command line is the parent's own.
struct StormPart {
  static let variable = "POSTERN_STORM_PART"

  let process: Int
  let startsAt: WallTime

  init(process: Int, startsAt: WallTime) {
    self.process = process
    self.startsAt = startsAt
  }

  /// Nil for a process that nobody made a part of something.
  init?(environment: [String: String]) {
    guard let parts = environment[Self.variable]?.split(separator: "@"), parts.count == 2,
      let process = Int(parts[0]), let start = Int64(parts[1])
    else { return nil }
    self.init(process: process, startsAt: WallTime(nanoseconds: start))
  }

  var environment: [String: String] { [Self.variable: "\(process)@\(startsAt.nanoseconds)"] }
}
