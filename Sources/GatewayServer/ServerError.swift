internal import Glibc

/// The reason why a part of the server could not be brought up: something else listens on port 8080 already, for
/// instance.
package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  case cannotStartLoop(String)
  /// Nothing can listen at that address.
  case cannotListen(address: String, reason: String)
  /// Something else listens at that address already.
  case addressTaken(String)
  /// The process has as many descriptors open as it may, but for the last, which are kept for whoever watches it.
  case descriptorsUsedUp(address: String)
  /// The certificate or its key is unusable; the old one stays, if there is one.
  case badCertificate(String)

  /// The name service knows no such host.
  case unknownHost(String, reason: String)

  package var description: String {
    switch self {
    case .cannotStartLoop(let reason): "cannot start an event loop: \(reason)"
    case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
    case .addressTaken(let address): "cannot listen on \(address): something else listens there already"
    case .descriptorsUsedUp(let address):
      "cannot listen on \(address): nearly all descriptors that the process may open are open"
    case .unknownHost(let host, let reason): "\(host): \(reason)"
    case .badCertificate(let reason): "bad certificate: \(reason)"
    }
  }

  /// What the last failed system call said.
  static var systemError: String { String(cString: strerror(errno)) }
}
