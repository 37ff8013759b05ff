import GatewayCore
import GatewayKit

/// The time for which the threads of a process and its child processes waited for a processor.
///
/// Linux counts it in `/proc/PID/task/TID/schedstat`. On other systems it is zero.
struct ProcessDelay {
  /// The maximum number of threads that are read, so that a browser does not cost the run a whole processor.
  private static let threadsMax = 96

  private let process: Int32
  private var known: [String: Int64] = [:]

  init(of process: Int32) { self.process = process }

  /// Returns how long all threads together have waited since the last call, and whether one of the processes is stopped.
  mutating func next() -> (waited: Duration, isStopped: Bool) {
    var (waited, isStopped): (Int64, Bool) = (0, false)
    var seen: [String: Int64] = [:]
    var processes = [String(process)]
    var place = 0
    while place < processes.count, seen.count < Self.threadsMax {
      let folder = FilePath("/proc/\(processes[place])")
      place += 1
      if folder.appending("stat").systemText.map(Self.isStopped) ?? false { isStopped = true }
      for thread in folder.appending("task").names where seen.count < Self.threadsMax {
        let task = folder.appending("task").appending(thread)
        let children = task.appending("children").systemText ?? ""
        processes += children.split(separator: " ").map(String.init)
        guard let count = task.appending("schedstat").systemText.flatMap(Self.waitingTime) else { continue }
        seen[thread] = count
        waited += max(0, count - (known[thread] ?? 0))
      }
    }
    known = seen
    return (.nanoseconds(waited), isStopped)
  }

  /// Returns the second number: the nanoseconds spent on a run queue.
  static func waitingTime(_ text: String) -> Int64? {
    let numbers = text.split(whereSeparator: { $0 == " " || $0 == "\n" })
    return numbers.count > 1 ? Int64(numbers[1]) : nil
  }

  /// Returns whether the process is stopped. The state follows the name in brackets, which may itself contain brackets.
  static func isStopped(_ text: String) -> Bool {
    guard let bracket = text.lastIndex(of: ")") else { return false }
    let state = text[text.index(after: bracket)...].first { $0 != " " }
    return state == "T" || state == "t"
  }
}
