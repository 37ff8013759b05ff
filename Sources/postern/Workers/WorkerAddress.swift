import GatewayKit
import Glibc

/// The address at which a worker listens, e.g. `10.0.0.7:7300`.
struct WorkerAddress: Hashable, CustomStringConvertible {
  let host: String
  let port: UInt16

  /// - Parameter ports: Which may be named: 0 only where one listens, on any that is free.
  init(_ value: Arguments.Value, ports: ClosedRange<UInt16> = 1...UInt16.max) throws {
    let parts = value.text.split(separator: ":", omittingEmptySubsequences: false)
    let host = parts.dropLast().joined(separator: ":")
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard let port = parts.last.flatMap({ UInt16($0) }), ports.contains(port), !bare.isEmpty,
      parts.count == 2 || host != bare
    else { throw UsageError(value.source, value: value.text, expected: "HOST:PORT, as 10.0.0.7:7300 or [::1]:7300") }
    self.host = bare
    self.port = port
  }

  /// The address of a worker that is given none.
  static let usual = WorkerAddress(host: "127.0.0.1", port: 7300)

  private init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// Returns a connected or listening socket of this address: the first that `use` accepts.
  ///
  /// - Parameter use: Binds or connects the socket, and returns whether that succeeded.
  func socket(_ use: (_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool) throws
    -> Int32
  {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, "\(port)", &hints, &found)
    guard failure == 0 else { throw WorkerFailure(String(cString: gai_strerror(failure))) }
    defer { freeaddrinfo(found) }
    var reason = "it has no address"
    var next = found
    while let info = next?.pointee {
      next = info.ai_next
      let descriptor = Glibc.socket(info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else {
        reason = String(cString: strerror(errno))
        continue
      }
      if use(descriptor, info.ai_addr, info.ai_addrlen) { return descriptor }
      reason = String(cString: strerror(errno))
      close(descriptor)
    }
    throw WorkerFailure(reason)
  }
}
