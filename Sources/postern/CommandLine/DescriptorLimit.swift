import GatewayServer
import Glibc

/// The number of files and sockets that this process may have open, raised as far as the system permits.
enum DescriptorLimit {
  /// The descriptors of a process besides its connections: the program itself, its loops, its pipes.
  static let reserve = ServerLimits.descriptorReserve

  /// Raises the limit to `wanted`, or as far as the system lets it, and returns it. Never lowers it.
  ///
  /// Before the first loop starts, which makes its table of descriptors no longer than the limit.
  static func raised(to wanted: Int = .max) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    if limit.rlim_cur < min(limit.rlim_max, rlim_t(clamping: wanted)) {
      var raised = limit
      raised.rlim_cur = min(limit.rlim_max, rlim_t(clamping: wanted))
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    return Int(clamping: min(limit.rlim_cur, 1 << 20))
  }
}
