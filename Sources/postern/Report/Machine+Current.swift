import GatewayReport

extension Machine {
  /// The machine that this process runs on.
  static var current: Machine {
    Machine(
      cores: ProcessEnvironment.cores, memoryBytes: ProcessEnvironment.memoryBytes,
      processor: value(after: "model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown",
      system: value(after: "PRETTY_NAME", in: "/etc/os-release", separator: "=") ?? "unknown",
      kernel: FilePath("/proc/sys/kernel/osrelease").systemText
        .map { String($0.prefix { !$0.isWhitespace }) } ?? "unknown")
  }

  private static func value(after key: String, in path: String, separator: Character) -> String? {
    guard let text = FilePath(path).systemText else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(key) {
      guard let value = line.split(separator: separator, maxSplits: 1).last else { continue }
      return String(
        value.filter { $0 != "\"" }.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
    return nil
  }
}
