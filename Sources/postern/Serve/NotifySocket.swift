import GatewayCore
import Glibc

/// The socket of a service manager that the process reports to, named in `NOTIFY_SOCKET`.
///
/// Reports are datagrams in the words of sd_notify(3), e.g. `READY=1`. systemd sets the variable for units with
/// `Type=notify`.
struct NotifySocket: Sendable {
  /// The socket's path, or a zero byte and a name of the abstract kind.
  private let path: [UInt8]
  /// How often the manager wants a sign of life, if it does.
  let watchdog: Duration?

  /// As long as a manager that is busy is waited for.
  private static let patience = timeval(tv_sec: 1, tv_usec: 0)

  /// Nil where nobody wants to hear.
  init?(_ environment: [String: String], pid: Int32 = getpid()) throws(NotifySocketError) {
    guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
    let bytes = Array(name.utf8)
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    guard isAbstract || bytes[0] == UInt8(ascii: "/"), bytes.count > 1, bytes.count < Self.pathBytesMax else {
      throw .noAddress(name)
    }
    path = isAbstract ? [0] + bytes.dropFirst() : bytes
    watchdog = Self.watchdog(environment, pid)
  }

  private static let pathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// Nil where none is wanted, or of another process.
  private static func watchdog(_ environment: [String: String], _ pid: Int32) -> Duration? {
    guard let microseconds = environment["WATCHDOG_USEC"].flatMap(UInt64.init), microseconds > 0 else { return nil }
    if let named = environment["WATCHDOG_PID"], named != String(pid) { return nil }
    // No manager means more than a day, nor looks every millisecond.
    return .microseconds(Int64(min(max(microseconds, 20_000), 86_400_000_000)))
  }

  /// Tells it, and waits for a second at most. Throws when it has not heard.
  func tell(_ news: ServiceNews) throws(NotifySocketError) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .deaf(errno) }
    defer { close(descriptor) }
    var patience = Self.patience
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let bytes = Array(news.text.utf8)
    let flags = Int32(MSG_NOSIGNAL) | (news.mayBeLost ? Int32(MSG_DONTWAIT) : 0)
    let sent = withAddress { address, length in sendto(descriptor, bytes, bytes.count, flags, address, length) }
    guard sent == bytes.count else { throw .deaf(errno) }
  }

  private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int) -> Int {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    // A name of the abstract kind is as long as it is said to be; behind a path stands a zero byte.
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.count + (path[0] == 0 ? 0 : 1)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }
}
