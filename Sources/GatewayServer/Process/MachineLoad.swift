internal import GatewayCore
internal import Glibc

/// The machine's own figures about the use of its processors. A value that the system does not report is nil.
enum MachineLoad {
  /// The number of processors that the process may run on.
  static var processors: Int {
    text("/proc/self/status").flatMap(processors(in:)) ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// The number of threads of the machine that run or are ready to, including the calling one.
  static var running: Int? { text("/proc/loadavg").flatMap(running(in:)) }

  /// The time for which the calling thread has waited for a processor since it began.
  static var threadWait: Duration? { text("/proc/thread-self/schedstat").flatMap(wait(in:)) }

  /// Counts the ones in the mask after `Cpus_allowed:` of a process's status.
  static func processors(in text: [UInt8]) -> Int? {
    let name = Array("Cpus_allowed:".utf8)
    let lines = text.split(separator: UInt8(ascii: "\n"))
    guard let line = lines.first(where: { $0.starts(with: name) }) else { return nil }
    let count = line.dropFirst(name.count).reduce(0) {
      $0 + (Character(UnicodeScalar($1)).hexDigitValue?.nonzeroBitCount ?? 0)
    }
    return count > 0 ? count : nil
  }

  /// Reads the fourth word of `/proc/loadavg` up to its slash: `7` of `6.12 4.20 2.91 7/280 4118`.
  static func running(in text: [UInt8]) -> Int? {
    let words = text.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") })
    guard words.count > 3 else { return nil }
    return Int(String(decoding: words[3].prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self))
  }

  /// Reads the second word of a thread's `schedstat`, in nanoseconds.
  static func wait(in text: [UInt8]) -> Duration? {
    let words = text.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") })
    guard words.count > 1 else { return nil }
    return Int64(String(decoding: words[1], as: UTF8.self)).map { .nanoseconds($0) }
  }

  /// Returns the share of its time that each of `running` threads has to wait, 0...1.
  static func shareLost(running: Int?, processors: Int) -> Double {
    guard let running, running > processors else { return 0 }
    return 1 - Double(processors) / Double(running)
  }

  private static func text(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }
}
