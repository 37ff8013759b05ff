import Foundation
import Glibc

/// The socket of a service manager, with a path of its own.
final class NotifiedSocket {
  /// Why the socket could not be used, as the number of the system's error.
  struct Failure: Error {
    let number = errno
  }

  let path: String
  private let descriptor: Int32

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "postern-notify-\(UUID().uuidString)").path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { [path] in $0.copyBytes(from: path.utf8) }
    // A limit that only a fault reaches.
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0 else { throw Failure() }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// Returns the next datagram.
  func receive() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw Failure() }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
