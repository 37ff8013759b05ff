internal import Glibc

/// What the operating system says of this process.
package struct ProcessFigures {
  /// User and system together.
  package let cpuSeconds: Double
  package let residentBytes: Int
  package let openDescriptors: Int
  package let descriptorsMax: Int

  package init() {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    residentBytes = Self.residentPages() * sysconf(Int32(_SC_PAGESIZE))
    openDescriptors = Self.countDescriptors()
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    descriptorsMax = Int(clamping: limit.rlim_cur)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  /// The second number of `/proc/self/statm`; 0 where there is no such file.
  private static func residentPages() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let numbers = text.split(separator: " ")
    return numbers.count > 1 ? Int(numbers[1]) ?? 0 : 0
  }

  /// The size of `/proc/self/fd`, which Linux 6.2 and later keep; else its entries, counted one by one.
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
