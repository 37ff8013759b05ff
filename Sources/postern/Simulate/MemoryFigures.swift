import Glibc

/// The system's memory figures. In a container, the limits of its control groups count.
struct MemoryFigures {
  /// The root of the system's files: `/` except in tests.
  let root: String

  init(root: String = "/") {
    self.root = root
  }

  /// The number of bytes that this process can use; nil if the system does not report it.
  static var available: UInt64? {
    let figures = MemoryFigures()
    return [figures.ofMachine, figures.ofGroups, addressSpace].compactMap { $0 }.min()
  }

  /// The number of bytes that can be used without harm to other processes.
  var ofMachine: UInt64? { number("MemAvailable:", in: "proc/meminfo").map { $0 * 1024 } }

  /// The smallest remainder of any control group of this process; nil if none has a limit.
  var ofGroups: UInt64? {
    guard let text = read("proc/self/cgroup") else { return nil }
    var least: UInt64?
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[0] == "0" && parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
      // A group also has the limits of its parents; in a container some of the folders are missing.
      var path = parts[2].split(separator: "/")
      while true {
        let folder = (["sys/fs/cgroup"] + (isUnified ? [] : ["memory"]) + path).joined(separator: "/")
        if let left = left(in: folder, isUnified: isUnified) { least = min(least ?? .max, left) }
        guard path.popLast() != nil else { break }
      }
    }
    return least
  }

  private func left(in folder: String, isUnified: Bool) -> UInt64? {
    let (limit, usage) =
      isUnified ? ("memory.max", "memory.current") : ("memory.limit_in_bytes", "memory.usage_in_bytes")
    guard let most = bytes("\(folder)/\(limit)"), let used = bytes("\(folder)/\(usage)") else { return nil }
    // The system reclaims file pages that were not read recently.
    let idle = number(isUnified ? "inactive_file" : "total_inactive_file", in: "\(folder)/memory.stat") ?? 0
    let held = used - min(used, idle)
    return most - min(most, held)
  }

  /// The remainder under `ulimit -v`; nil if it is not limited.
  private static var addressSpace: UInt64? {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max,
      let pages = MemoryFigures().read("proc/self/statm")?.split(separator: " ").first.flatMap({ UInt64($0) })
    else { return nil }
    let most = UInt64(limit.rlim_cur)
    return most - min(most, pages * UInt64(sysconf(Int32(_SC_PAGESIZE))))
  }

  private func bytes(_ file: String) -> UInt64? {
    read(file).flatMap { UInt64($0.prefix { $0 != "\n" }) }
  }

  /// Returns the number that follows a word at the beginning of a line.
  private func number(_ word: String, in file: String) -> UInt64? {
    for line in read(file)?.split(separator: "\n") ?? [] {
      let words = line.split(separator: " ")
      if words.count > 1, words[0] == word { return UInt64(words[1]) }
    }
    return nil
  }

  private func read(_ file: String) -> String? {
    FilePath(root + file).systemText
  }
}
