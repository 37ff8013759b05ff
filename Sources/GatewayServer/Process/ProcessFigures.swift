package import GatewayRuntime
internal import Glibc

/// The operating system's figures for this process.
package struct ProcessFigures {
  /// User and system time together.
  package let cpuSeconds: Double
  package let residentBytes: Int
  /// The part of them that belongs to no mapped file: without code, which the system maps when it is used.
  package let anonymousBytes: Int
  package let openDescriptors: Int
  package let descriptorsMax: Int
  /// The time when the process began, in seconds since 1970, to a hundredth; nil if the system does not report it.
  package var startedAt: Double? { Self.start }
  private static let start = readStart()

  package init() {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    let pages = Self.residentPages()
    residentBytes = pages.all * sysconf(Int32(_SC_PAGESIZE))
    anonymousBytes = (pages.all - pages.ofFiles) * sysconf(Int32(_SC_PAGESIZE))
    openDescriptors = Self.countDescriptors()
    descriptorsMax = Self.descriptorLimit
  }

  /// The number of descriptors that the process may open.
  static var descriptorLimit: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  /// Returns the second and third number of `/proc/self/statm`; 0 if there is no such file.
  private static func residentPages() -> (all: Int, ofFiles: Int) {
    guard let file = fopen("/proc/self/statm", "r") else { return (0, 0) }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return (0, 0) }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let numbers = text.split(separator: " ").map { Int($0) ?? 0 }
    return numbers.count > 2 ? (numbers[1], min(numbers[1], numbers[2])) : (0, 0)
  }

  /// Returns the boot time plus the 22nd field of `/proc/self/stat`, in ticks since then (proc(5)).
  private static func readStart() -> Double? {
    guard let boot = bootTime(), let file = fopen("/proc/self/stat", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The second field is the program's name in parentheses, which may contain spaces.
    guard let name = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: name)...].split(separator: " ")
    guard fields.count > 19, let ticks = Double(fields[19]) else { return nil }
    return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Reads `btime` of `/proc/stat`: when the system began, in seconds since 1970.
  private static func bootTime() -> Double? {
    guard let file = fopen("/proc/stat", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 65_536)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let words = text.split(whereSeparator: \.isWhitespace)
      if words.count == 2, words[0] == "btime" { return Double(words[1]) }
    }
    return nil
  }

  /// Returns the size of `/proc/self/fd`, which Linux 6.2 and later provide; on older systems it counts its entries.
  private static func countDescriptors() -> Int {
    var status = stat()
    if stat("/proc/self/fd", &status) == 0 && status.st_size > 0 { return Int(status.st_size) }
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    // The folder itself is one.
    return count - 1
  }
}

extension ProcessFigures {
  /// Writes the figures under the names that Prometheus' own clients use.
  package func write(to page: inout PrometheusText) {
    page.counter("process_cpu_seconds_total", "User and system CPU time.", cpuSeconds)
    if let startedAt {
      page.gauge("process_start_time_seconds", "When the process began, in seconds since 1970.", startedAt)
    }
    page.gauge("process_resident_memory_bytes", "Resident memory.", Double(residentBytes))
    page.gauge(
      "process_anonymous_memory_bytes", "Resident memory without mapped files, e.g. code.", Double(anonymousBytes))
    page.gauge("process_open_fds", "Open file descriptors.", Double(openDescriptors))
    page.gauge("process_max_fds", "The limit of open file descriptors.", Double(descriptorsMax))
  }
}
