internal import FoundationEssentials
import GatewayFleet

/// The machine a storm ran on: two cores and 8 GB, for instance. Figures of two machines are two different figures.
package struct Machine: Hashable, Sendable, Codable {
  package var cores: Int
  package var memoryBytes: UInt64
  package var processor: String
  package var system: String
  package var kernel: String

  package init(cores: Int, memoryBytes: UInt64, processor: String, system: String, kernel: String) {
    self.cores = cores
    self.memoryBytes = memoryBytes
    self.processor = processor
    self.system = system
    self.kernel = kernel
  }

  /// This one.
  package static var current: Machine {
    Machine(
      cores: ProcessInfo.processInfo.activeProcessorCount, memoryBytes: ProcessInfo.processInfo.physicalMemory,
      processor: value(after: "model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown",
      system: value(after: "PRETTY_NAME", in: "/etc/os-release", separator: "=") ?? "unknown",
      kernel: (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))
        .map { String($0.prefix { !$0.isWhitespace }) } ?? "unknown")
  }

  private static func value(after key: String, in path: String, separator: Character) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      guard let value = line.split(separator: separator, maxSplits: 1).last else { continue }
      return String(
        value.filter { $0 != "\"" }.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
    return nil
  }

  /// One line for people.
  package var summary: String {
    "\(cores) cores (\(processor)), \(Figures.decimal(Double(memoryBytes) / 1_073_741_824, places: 1)) GiB, "
      + "\(system), Linux \(kernel)"
  }
}
