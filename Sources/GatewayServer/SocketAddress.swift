// In a release build the compiler finds the constants of <sys/socket.h> in the first C module that includes it.
internal import CLibWebSockets
internal import Glibc

/// The address of one end of a connection, IPv4 or IPv6, with its port.
struct SocketAddress: Sendable {
  private var storage: sockaddr_storage
  private let length: socklen_t

  init(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
    storage = sockaddr_storage()
    memcpy(&storage, address, Int(length))
    self.length = length
  }

  /// Resolves `host`, a literal or a name. It may block on the name service, unless `isAddress` says that `host` is an address.
  static func resolve(
    host: String, port: Int, isAddress: Bool = false
  ) -> Result<[SocketAddress], ResolutionFailure> {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICSERV | (isAddress ? AI_NUMERICHOST : 0)
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, "\(port)", &hints, &found)
    guard failure == 0 else { return .failure(ResolutionFailure(reason: String(cString: gai_strerror(failure)))) }
    defer { freeaddrinfo(found) }
    var addresses: [SocketAddress] = []
    var next = found
    while let info = next?.pointee {
      addresses.append(SocketAddress(info.ai_addr, info.ai_addrlen))
      next = info.ai_next
    }
    return .success(addresses)
  }

  /// Returns the address of the other end of a connected socket; nil if it is gone.
  static func ofPeer(_ descriptor: CInt) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return getpeername(descriptor, address, &length) == 0 ? SocketAddress(address, length) : nil
    }
  }

  var family: CInt { CInt(storage.ss_family) }

  var isIPv4: Bool { family == AF_INET }

  /// The address without its port, as text.
  var text: String {
    withAddress { address, length in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
        buffer.initialize(repeating: 0)
        getnameinfo(address, length, buffer.baseAddress, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        return String(cString: buffer.baseAddress!)
      }
    }
  }

  func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafeBytes(of: storage) { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), length) }
  }
}

/// The reason why a name has no address, in the system's words.
struct ResolutionFailure: Error {
  let reason: String
}
