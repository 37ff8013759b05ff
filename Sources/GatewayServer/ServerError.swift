internal import Glibc

/// The reason why a part of the server could not be started or used.
package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotStartLoop(String)
  /// The server cannot listen at that address.
  case cannotListen(address: String, reason: String)
  /// Another process or listener already uses that address.
  case addressTaken(String)
  /// All descriptors that the process may open are in use, except the last ones, which are reserved for the control port.
  case descriptorsUsedUp(address: String)
  /// The certificate or its key is unusable; the old one stays, if there is one.
  case badCertificate(String)

  /// The name service does not know the host.
  case unknownHost(String, reason: String)

  package var description: String {
    switch self {
    case .cannotStartLoop(let reason): "cannot start an event loop: \(reason)"
    case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
    case .addressTaken(let address):
      "cannot listen on \(address): address already in use; end the other program, or choose another port"
    case .descriptorsUsedUp(let address):
      "cannot listen on \(address): nearly all descriptors that the process may open are open"
    case .unknownHost(let host, let reason): "\(host): \(reason)"
    case .badCertificate(let reason): "bad certificate: \(reason)"
    }
  }

  /// The text of the last failed system call's error.
  static var systemError: String { String(cString: strerror(errno)) }
}
