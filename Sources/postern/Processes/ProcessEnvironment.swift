@preconcurrency import Glibc

/// The environment variables of this process, and the machine's cores and memory.
enum ProcessEnvironment {
  /// The variables by name. If a name occurs twice the first counts, as in the C library.
  static var variables: [String: String] {
    var variables: [String: String] = [:]
    guard var next = environ as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? else { return [:] }
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }

  /// The number of cores that the process may run on, e.g. after `taskset`.
  static var cores: Int {
    let mask = FilePath("/proc/self/status").systemText?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    let count = (mask?.dropFirst("Cpus_allowed:".count) ?? "").reduce(0) {
      $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0)
    }
    return count > 0 ? count : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// The machine's memory in bytes.
  static var memoryBytes: UInt64 {
    UInt64(max(0, sysconf(Int32(_SC_PHYS_PAGES)))) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
  }
}
