import Glibc

/// Returns the number of open descriptors of this process.
func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count - 3
}

/// Returns the processor time of this process in seconds.
func processorTime() -> Double { processorTime(of: RUSAGE_SELF.rawValue) }

/// Returns the processor time of the calling thread in seconds: RUSAGE_THREAD, which is not in Swift's Glibc.
func processorTimeOfThread() -> Double { processorTime(of: 1) }

private func processorTime(of who: Int32) -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(who), &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Returns the bytes that this process has allocated and not freed, as glibc counts them; malloc.h is not in Swift's
/// Glibc. Returns 0 under a sanitizer, whose allocator keeps what was freed; there the leak check looks for leaks.
func allocatedBytes() -> Int {
  guard dlsym(nil, "__sanitizer_get_current_allocated_bytes") == nil else { return 0 }
  typealias MallocInfo = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
  guard let symbol = dlsym(nil, "malloc_info"), let file = tmpfile() else { return 0 }
  defer { fclose(file) }
  _ = unsafeBitCast(symbol, to: MallocInfo.self)(0, file)
  rewind(file)
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65536)
  while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
  let text = String(decoding: bytes, as: UTF8.self)
  // The last of each kind is the sum over all arenas.
  func size(_ kind: String) -> Int {
    let line = text.split(separator: "\n").last { $0.hasPrefix(kind) } ?? ""
    return line.split(separator: "\"").dropLast().last.flatMap { Int($0) } ?? 0
  }
  return size("<system type=\"current\"") - size("<total type=\"fast\"") - size("<total type=\"rest\"")
}
