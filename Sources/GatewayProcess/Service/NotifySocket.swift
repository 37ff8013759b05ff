internal import GatewayCore
internal import Glibc

/// The notification socket of a service manager, such as systemd for a unit with `Type=notify`.
///
/// It is named in `NOTIFY_SOCKET`, and receives datagrams in the format of sd_notify(3), e.g. `READY=1`.
struct NotifySocket: Sendable {
  /// The socket's address in the system's form: a path, or an abstract name after a zero byte.
  private let path: [UInt8]
  /// The interval in which the manager expects a sign of life, if it does.
  let watchdog: Duration?

  /// The timeout for a busy manager.
  private static let patience = timeval(tv_sec: 1, tv_usec: 0)

  /// Reads the address; nil if there is no manager.
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

  /// Returns the watchdog's interval; nil if there is none, or it is for another process.
  private static func watchdog(_ environment: [String: String], _ pid: Int32) -> Duration? {
    guard let microseconds = environment["WATCHDOG_USEC"].flatMap(UInt64.init), microseconds > 0 else { return nil }
    if let named = environment["WATCHDOG_PID"], named != String(pid) { return nil }
    // Bounds of 20 ms and a day: no manager uses intervals beyond them.
    return .microseconds(Int64(min(max(microseconds, 20_000), 86_400_000_000)))
  }

  /// Sends the news, and waits for a second at most. Throws if it could not be sent.
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
    // An abstract name ends with its length; a path ends with a zero byte.
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.count + (path[0] == 0 ? 0 : 1)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }
}
