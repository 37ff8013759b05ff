// In a release build the compiler finds the constants of <sys/socket.h> in the first C module that includes it.
internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// A connection that this process opens, to the first address of its target that accepts it, with TLS if the target wants it.
/// The data on it is up to its subclasses.
///
/// It does not use libwebsockets. Thousands of pending connections would wait in the library's linear list of timers, and each
/// close would walk its table of descriptors. A storm would pay several times what its gateway pays for a connection.
class DialledConnection: LoopConnection, WakeupTarget {
  final let loop: SocketLoop
  final let dialer: SocketDialer
  final let target: DialTarget
  final var descriptor: CInt = -1
  final var watcher: IOWatcher?
  final var tls: TLSClient?
  private var addresses: ArraySlice<SocketAddress> = []
  private var stage = Stage.connecting
  final private(set) lazy var wakeup = Wakeup(target: self)

  private enum Stage: UInt8 { case connecting, securing, open }

  init(to target: DialTarget, by dialer: SocketDialer) {
    loop = dialer.loop
    self.dialer = dialer
    self.target = target
  }

  // MARK: For subclasses

  /// Starts the work of the connection, which is open and, if required, secure.
  func established() {
    preconditionFailure("a kind of dialled connection says what it does first")
  }

  /// Continues when the watched event has occurred.
  func advance() {
    preconditionFailure("a kind of dialled connection says how it goes on")
  }

  /// Handles a failure: no address accepted the connection, or its TLS failed. May be called from inside ``reach()``.
  func failed(_ failure: DialFailure) {
    preconditionFailure("a kind of dialled connection says how it fails")
  }

  /// Handles the end of its time.
  func wakeUp() {
    preconditionFailure("a kind of dialled connection says what it does in the end")
  }

  // MARK: Connecting

  /// Connects to the first address.
  final func reach() {
    switch dialer.addresses.addresses(of: target, at: loop.now) {
    case .success(let found):
      addresses = found[...]
      connectToNext(nil)
    case .failure(let failure): failed(.unreachable("\(target.host): \(failure.reason)"))
    }
  }

  /// Continues with a descriptor that is already connected and, if required, secure.
  final func goOn(with descriptor: CInt, _ tls: TLSClient?) {
    self.descriptor = descriptor
    self.tls = tls
    stage = .open
    watcher = newWatcher()
  }

  private func newWatcher() -> IOWatcher {
    IOWatcher(descriptor: descriptor, on: loop) { [unowned self] in moveOn() }
  }

  /// Connects to the next address.
  ///
  /// - Parameter reason: The fault of the previous address; nil for the first.
  private func connectToNext(_ reason: String?) {
    closeDescriptor()
    stage = .connecting
    guard let address = addresses.popFirst() else {
      return failed(.unreachable(reason ?? "\(target.host) has no address"))
    }
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { return failed(.unreachable("socket: \(ServerError.systemError)")) }
    var one: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    guard bindSource(family: address.family) else { return connectToNext("bind: \(ServerError.systemError)") }
    watcher = newWatcher()
    if attempt(address) { return connected() }
    switch errno {
    case EINPROGRESS:
      // A peer on this machine has accepted by now. A second attempt returns that at once, without waiting for an event.
      if attempt(address) || errno == EISCONN { return connected() }
      guard errno == EALREADY else { fallthrough }
      watcher?.watch(.writable)
    default:
      let reason = "connect: \(ServerError.systemError)"
      dialer.addresses.demote(target)
      connectToNext(reason)
    }
  }

  private func attempt(_ address: SocketAddress) -> Bool { address.withAddress { connect(descriptor, $0, $1) } == 0 }

  private func bindSource(family: CInt) -> Bool {
    guard let source = target.source else { return true }
    guard let address = dialer.addresses.source(source, family: family) else {
      errno = EADDRNOTAVAIL
      return false
    }
    // Leaves the port open until connect(), which may share it among targets.
    var one: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &one, socklen_t(MemoryLayout<CInt>.size))
    return address.withAddress { bind(descriptor, $0, $1) } == 0
  }

  private func moveOn() {
    switch stage {
    case .connecting: becameWritable()
    case .securing: secure()
    case .open: advance()
    }
  }

  private func becameWritable() {
    var error: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
    guard error == 0 else {
      dialer.addresses.demote(target)
      return connectToNext("connect: \(String(cString: strerror(error)))")
    }
    connected()
  }

  private func connected() {
    guard target.isTLS else {
      stage = .open
      return established()
    }
    let context: TLSClient.Context
    do {
      context = try dialer.tlsContext(target)
    } catch {
      return failed(.unreachable("\(error)"))
    }
    guard let tls = TLSClient(context, descriptor: descriptor, host: target.host) else {
      return failed(.unreachable("no memory for TLS"))
    }
    self.tls = tls
    stage = .securing
    secure()
  }

  private func secure() {
    guard let tls else { return }
    switch tls.handshake() {
    case .moved:
      stage = .open
      established()
    case .needsReadable: watcher?.watch(.readable)
    case .needsWritable: watcher?.watch(.writable)
    case .failed(let reason): failed(.unreachable(reason))
    case .insecure(let failure): failed(.insecure(failure))
    }
  }

  // MARK: Bytes

  final func move(out bytes: UnsafeRawBufferPointer) -> TLSClient.Step {
    if let tls { return tls.write(bytes) }
    let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN ? .needsWritable : .failed("send: \(ServerError.systemError)")
  }

  final func move(into buffer: UnsafeMutableRawBufferPointer) -> TLSClient.Step {
    if let tls { return tls.read(into: buffer) }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN ? .needsReadable : .failed("receive: \(ServerError.systemError)")
  }

  final func closeDescriptor() {
    watcher?.stop()
    watcher = nil
    tls = nil
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
