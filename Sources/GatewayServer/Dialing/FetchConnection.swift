internal import CLibWebSockets
internal import GatewayCore
internal import GatewayRuntime
internal import Glibc

/// One HTTP request over a connection of its own, or over one that an earlier request has left. Not on libwebsockets: with
/// thousands under way, each would wait in the library's linear list of timers.
///
/// A kept connection may end as the request goes out. What may be done twice is asked again over a new connection then;
/// anything else only if no byte of it has left, for the server may have done it: a refresh token that rotates, spent twice,
/// signs its user out (RFC 9110 section 9.2.2).
final class FetchConnection: LoopConnection, WakeupTarget {
  private let loop: SocketLoop
  private let dialer: SocketDialer
  private let target: DialTarget
  private let finished: (Result<HTTPResponse, DialFailure>) -> Void
  private var addresses: ArraySlice<SocketAddress> = []
  private var descriptor: CInt = -1
  private var watcher: IOWatcher?
  private var tls: TLSClient?
  private var output: [UInt8]
  private var sent = 0
  private var parser: HTTPResponseParser
  private var phase = Phase.connecting
  /// Whether the connection is one that an earlier request has left; the server may end it as this one goes out.
  private var isKept = false
  /// Whether the request may be done twice: its method is idempotent, or nobody can have heard of it.
  private var mayRepeat: Bool { isIdempotent || !hasLeft }
  private let isIdempotent: Bool
  /// Whether a byte of the request may have left.
  private var hasLeft = false
  private lazy var wakeup = Wakeup(target: self)

  private enum Phase { case connecting, securing, sending, receiving, ended }

  init(
    _ request: HTTPRequest, from target: DialTarget, by dialer: SocketDialer,
    finished: @escaping (Result<HTTPResponse, DialFailure>) -> Void
  ) {
    loop = dialer.loop
    self.dialer = dialer
    self.target = target
    self.finished = finished
    output = request.serialized(for: target)
    parser = HTTPResponseParser(isHead: request.method == "HEAD")
    isIdempotent = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(request.method)
  }

  /// Begins. The loop holds it from here on.
  func start(timeout: Duration) {
    loop.connections.append(self)
    loop.deadlines.set(wakeup, at: loop.now + timeout)
    if target.keepsConnections, let kept = dialer.kept.take(target, at: loop.now) { return goOn(with: kept) }
    reach()
  }

  private func reach() {
    switch dialer.addresses.addresses(of: target, at: loop.now) {
    case .success(let found):
      addresses = found[...]
      connectToNext("\(target.host) has no address")
    case .failure(let failure): end(.failure(.unreachable("\(target.host): \(failure.reason)")))
    }
  }

  private func goOn(with kept: KeptConnections.Kept) {
    isKept = true
    descriptor = kept.descriptor
    tls = kept.tls
    phase = .sending
    watcher = IOWatcher(descriptor: descriptor, on: loop) { [unowned self] in advance() }
    send()
  }

  func wakeUp() { end(.failure(.timedOut)) }

  override func end() {
    isKept = false
    end(.failure(.unreachable("the loop ended")))
  }

  // MARK: Connecting

  private func connectToNext(_ reason: String) {
    closeDescriptor()
    guard let address = addresses.popFirst() else { return end(.failure(.unreachable(reason))) }
    let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { return end(.failure(.unreachable("socket: \(ServerError.systemError)"))) }
    var one: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    guard bindSource(family: address.family) else { return connectToNext("bind: \(ServerError.systemError)") }
    phase = .connecting
    let result = address.withAddress { connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else { return connectToNext("connect: \(ServerError.systemError)") }
    watcher = IOWatcher(descriptor: descriptor, on: loop) { [unowned self] in advance() }
    watcher?.watch(.writable)
  }

  private func bindSource(family: CInt) -> Bool {
    guard let source = target.source else { return true }
    guard case .success(let found) = SocketAddress.resolve(host: source, port: 0),
      let address = found.first(where: { $0.family == family })
    else { return false }
    // Leaves the port open until connect(), which may share it among targets.
    var one: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &one, socklen_t(MemoryLayout<CInt>.size))
    return address.withAddress { bind(descriptor, $0, $1) } == 0
  }

  // MARK: Moving on

  private func advance() {
    switch phase {
    case .connecting: connected()
    case .securing: secure()
    case .sending: send()
    case .receiving: receive()
    case .ended: break
    }
  }

  private func connected() {
    var error: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
    guard error == 0 else {
      dialer.addresses.demote(target)
      return connectToNext("connect: \(String(cString: strerror(error)))")
    }
    guard target.isTLS else {
      phase = .sending
      return send()
    }
    let context: TLSClient.Context
    do {
      context = try dialer.tlsContext(target)
    } catch {
      return end(.failure(.unreachable("\(error)")))
    }
    guard let tls = TLSClient(context, descriptor: descriptor, host: target.host) else {
      return end(.failure(.unreachable("no memory for TLS")))
    }
    self.tls = tls
    phase = .securing
    secure()
  }

  private func secure() {
    switch tls!.handshake() {
    case .moved:
      phase = .sending
      send()
    case .needsReadable: watcher?.watch(.readable)
    case .needsWritable: watcher?.watch(.writable)
    case .failed(let reason): end(.failure(.unreachable(reason)))
    case .insecure(let failure): end(.failure(.insecure(failure)))
    }
  }

  private func send() {
    while sent < output.count {
      switch output.withUnsafeBytes({ move(out: UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
      case .moved(let count):
        sent += count
        hasLeft = true
      case .needsReadable:
        hasLeft = true
        return watcher!.watch(.readable)
      case .needsWritable:
        // TLS may have sent a part of a record.
        hasLeft = hasLeft || tls != nil
        return watcher!.watch(.writable)
      case .failed(let reason): return end(.failure(.unreachable(reason)))
      case .insecure(let failure): return end(.failure(.insecure(failure)))
      }
    }
    if !isKept { output = [] }
    sent = 0
    phase = .receiving
    watcher?.watch(.readable)
    // TLS may have the answer already, in which case the descriptor stays silent.
    if tls != nil { receive() }
  }

  private func receive() {
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { buffer in
      while phase == .receiving {
        switch move(into: buffer) {
        case .moved(0): return settle(parser.end())
        case .moved(let count):
          settle(parser.consume(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
          // A plain descriptor that gave less than was asked for has no more.
          if tls == nil && count < buffer.count { return }
        case .needsReadable: return watcher!.watch(.readable)
        case .needsWritable: return watcher!.watch(.writable)
        case .failed(let reason): return end(.failure(.unreachable(reason)))
        case .insecure(let failure): return end(.failure(.insecure(failure)))
        }
      }
    }
  }

  private func settle(_ step: HTTPResponseParser.Step) {
    switch step {
    case .needsMore: break
    case .complete: end(.success(parser.response))
    case .invalid(let reason):
      end(.failure(tls == nil && parser.beginsTLS ? .insecure(.peerWantsTLS) : .unreachable(reason)))
    }
  }

  private func move(out bytes: UnsafeRawBufferPointer) -> TLSClient.Step {
    if let tls { return tls.write(bytes) }
    let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN ? .needsWritable : .failed("send: \(ServerError.systemError)")
  }

  private func move(into buffer: UnsafeMutableRawBufferPointer) -> TLSClient.Step {
    if let tls { return tls.read(into: buffer) }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count >= 0 { return .moved(count) }
    return errno == EAGAIN ? .needsReadable : .failed("receive: \(ServerError.systemError)")
  }

  // MARK: The end

  private func end(_ result: Result<HTTPResponse, DialFailure>) {
    guard phase != .ended else { return }
    var result = result
    if isKept, !parser.hasBegun, case .failure(let failure) = result, failure != .timedOut {
      isKept = false
      sent = 0
      if mayRepeat {
        closeDescriptor()
        return reach()
      }
      result = .failure(
        .unreachable("the kept connection ended before the answer, and such a request is not sent twice"))
    }
    phase = .ended
    loop.deadlines.remove(wakeup)
    if case .success = result, target.keepsConnections, parser.isReusable {
      watcher?.stop()
      dialer.kept.keep(descriptor, tls, for: target, at: loop.now)
      tls = nil
      descriptor = -1
    }
    closeDescriptor()
    loop.connections.remove(self)
    finished(result)
  }

  private func closeDescriptor() {
    watcher?.stop()
    tls = nil
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
