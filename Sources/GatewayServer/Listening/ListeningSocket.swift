// In a release build the compiler finds the constants of <sys/socket.h> in the first C module that includes it.
internal import CLibWebSockets
internal import Glibc

/// A listening socket, which is closed when it is released.
///
/// It does not use SO_REUSEPORT: a second process on the port must be refused, not given half of the connections.
final class ListeningSocket {
  let descriptor: CInt
  /// The port in use, also if a free one was chosen.
  let port: Int

  private init(descriptor: CInt, port: Int) {
    self.descriptor = descriptor
    self.port = port
  }

  deinit {
    close(descriptor)
  }

  /// Opens one socket for each address of `host`: a literal, or a name such as `localhost`; empty for all addresses of the
  /// machine, IPv4 and IPv6. All get the same port: `port`, or with 0 one that the system chooses.
  static func listen(host: String, port: Int) throws(ServerError) -> [ListeningSocket] {
    let name = host.isEmpty ? "*" : host
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host.isEmpty ? nil : host, "\(port)", &hints, &found)
    guard failure == 0 else {
      throw .cannotListen(address: "\(name):\(port)", reason: String(cString: gai_strerror(failure)))
    }
    defer { freeaddrinfo(found) }
    var sockets: [ListeningSocket] = []
    var next = found
    while let address = next {
      next = address.pointee.ai_next
      do throws(ServerError) {
        sockets.append(try open(address.pointee, port: sockets.first?.port ?? port, name: name))
      } catch {
        // A machine without IPv6 listens on its other addresses.
        if errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL, next != nil || !sockets.isEmpty { continue }
        throw error
      }
    }
    return sockets
  }

  private static func open(_ address: addrinfo, port: Int, name: String) throws(ServerError) -> ListeningSocket {
    func fail(_ what: String) -> ServerError {
      .cannotListen(address: "\(name):\(port)", reason: "\(what): \(ServerError.systemError)")
    }
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.ai_family, type, 0)
    guard descriptor >= 0 else {
      throw errno == EMFILE || errno == ENFILE ? .descriptorsUsedUp(address: "\(name):\(port)") : fail("socket")
    }
    var isDone = false
    defer {
      if !isDone {
        let error = errno
        close(descriptor)
        errno = error
      }
    }
    set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
    // Accepted sockets inherit it.
    set(CInt(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
    if address.ai_family == AF_INET6 { set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, on: descriptor) }
    var storage = sockaddr_storage()
    memcpy(&storage, address.ai_addr, Int(address.ai_addrlen))
    setPort(port, of: &storage)
    let bound = withSocketAddress(&storage) { bind(descriptor, $0, address.ai_addrlen) }
    guard bound == 0 else { throw errno == EADDRINUSE ? .addressTaken("\(name):\(port)") : fail("bind") }
    guard Glibc.listen(descriptor, 4096) == 0 else { throw fail("listen") }
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    guard withSocketAddress(&storage, { getsockname(descriptor, $0, &length) }) == 0 else { throw fail("getsockname") }
    isDone = true
    return ListeningSocket(descriptor: descriptor, port: Self.port(of: &storage))
  }

  private static func set(_ level: CInt, _ option: CInt, on descriptor: CInt) {
    var one: CInt = 1
    setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func withSocketAddress<Result>(
    _ storage: inout sockaddr_storage, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
  ) -> Result {
    withUnsafeMutableBytes(of: &storage) { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self)) }
  }

  // The port is the second 16 bits of both families' addresses, in network order.
  private static func setPort(_ port: Int, of storage: inout sockaddr_storage) {
    withUnsafeMutableBytes(of: &storage) {
      $0.storeBytes(of: UInt16(port).bigEndian, toByteOffset: 2, as: UInt16.self)
    }
  }

  private static func port(of storage: inout sockaddr_storage) -> Int {
    withUnsafeBytes(of: &storage) { Int(UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self))) }
  }
}
