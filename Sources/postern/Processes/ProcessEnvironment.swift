@preconcurrency import Glibc

/// The process's environment variables and cores.
enum ProcessEnvironment {
  /// Each variable by its name; of two of one name the first, as the C library does.
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

  /// The number of cores that the process may run on, e.g. those that `taskset` leaves it.
  static var cores: Int {
    let mask = FilePath("/proc/self/status").systemText?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
    let count = (mask?.dropFirst("Cpus_allowed:".count) ?? "").reduce(0) {
      $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0)
    }
    return count > 0 ? count : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// How much memory the machine has.
  static var memoryBytes: UInt64 {
    UInt64(max(0, sysconf(Int32(_SC_PHYS_PAGES)))) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
  }
}
