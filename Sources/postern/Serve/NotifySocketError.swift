import Glibc

/// The reason why a service manager receives no reports, e.g. that no socket is at `NOTIFY_SOCKET`.
enum NotifySocketError: Error, CustomStringConvertible {
  case noAddress(String)
  /// The system's number for why a datagram was not sent.
  case deaf(Int32)

  var description: String {
    switch self {
    case .noAddress(let name): "NOTIFY_SOCKET is '\(name)', which is no path and no @name"
    case .deaf(let number): "the service manager has not heard: \(String(cString: strerror(number)))"
    }
  }
}
