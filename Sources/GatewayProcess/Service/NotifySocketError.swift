internal import Glibc

/// Why a service manager could not be notified.
enum NotifySocketError: Error, CustomStringConvertible {
  case noAddress(String)
  /// The value of `errno` for a datagram that was not sent.
  case deaf(Int32)

  var description: String {
    switch self {
    case .noAddress(let name): "NOTIFY_SOCKET is '\(name)', which is no path and no @name"
    case .deaf(let number): "the service manager has not heard: \(String(cString: strerror(number)))"
    }
  }
}
