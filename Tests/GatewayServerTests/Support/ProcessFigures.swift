import Glibc

/// How many descriptors this process has open.
func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count - 3
}

/// Seconds of processor that this process has used.
func processorTime() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Bytes of memory that this process occupies.
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "re") else { return 0 }
  defer { fclose(file) }
  var line = [UInt8](repeating: 0, count: 128)
  let count = fread(&line, 1, line.count, file)
  let fields = String(decoding: line[..<count], as: UTF8.self).split(separator: " ")
  return (Int(fields[1]) ?? 0) * Int(sysconf(CInt(_SC_PAGESIZE)))
}
