import Glibc

/// How many files and sockets this process may have open.
enum DescriptorLimit {
  /// What a process needs besides its clients: the program itself, its loops, its pipes.
  static let reserve = 256

  /// Raises the limit as far as the system lets it, and returns it.
  static func raised() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    if limit.rlim_cur < limit.rlim_max {
      var wanted = limit
      wanted.rlim_cur = limit.rlim_max
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &wanted) == 0 { limit = wanted }
    }
    return Int(clamping: min(limit.rlim_cur, 1 << 20))
  }
}
