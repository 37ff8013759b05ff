internal import GatewayServer
internal import Glibc

/// The limit of open files and sockets of this process, which is raised as far as the system allows.
package enum DescriptorLimit {
  /// The descriptors that a process needs besides its connections: for the program itself, its loops and its pipes.
  package static let reserve = ServerLimits.descriptorReserve

  /// Raises the limit to `wanted`, or as far as the system allows, and returns it. Never lowers it.
  ///
  /// Call it before the first loop starts: a loop makes its table of descriptors as long as the limit at that time.
  package static func raised(to wanted: Int = .max) -> Int {
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
