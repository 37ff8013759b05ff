internal import CLibWebSockets
package import GatewayCore
package import GatewayRuntime
internal import Glibc
internal import Synchronization

/// A listening port. It accepts connections on its first loop, distributes them over all its loops, and serves a `Site` there.
///
/// `@unchecked Sendable`: the acceptors are touched only on the first loop; the rest does not change or is atomic.
package final class Listener: @unchecked Sendable {
  /// The settings of a listener.
  package struct Settings: Sendable {
    /// A name or an address; empty for every address of the machine.
    package var host: String
    /// The port; 0 for a free one.
    package var port: Int
    package var limits = ServerLimits()
    /// The files of the certificate; nil for plain text.
    package var tls: TLSFiles?
    /// The tunnels that clients may open with CONNECT, on a port without files; nil for none. Such a port also serves TLS to
    /// clients that begin with it.
    package var tunnels: TunnelSettings?

    /// The proxies that are trusted to name the client of a connection or a request.
    package var proxies = TrustedProxies()
    /// Whether these proxies begin each connection with the PROXY protocol. Connections from other addresses begin as usual.
    package var speaksProxyProtocol = false

    /// The count and rate of connections that `limits` applies to; several listeners may share it.
    package var allowance = ConnectionAllowance()
    /// Whether this listener may also use the last descriptors of the process, as the control port does, which must answer when
    /// clients use all others.
    package var takesLastDescriptors = false
    /// Whether a new connection at the limit closes the one that has owed its request longest. It is set for the control port,
    /// so that strangers who hold connections cannot block it.
    package var unreadMakesRoom = false
    /// How long the end waits for the request of a new connection.
    package var firstRequestTime = Duration.milliseconds(200)
    /// The count of what this listener refuses; several may share it.
    package var refusals = TransportRefusals()

    package init(host: String, port: Int) {
      self.host = host
      self.port = port
    }
  }

  /// The port in use, also if a free one was chosen.
  package let port: Int
  package let settings: Settings
  private let shares: [Share]
  private var acceptors: [Acceptor] = []
  private let isAccepting = Atomic<Bool>(true)

  /// One loop's part of the listener.
  struct Share {
    let loop: SocketLoop
    let tally: LoopTally
    let host: VirtualHost
    let service: HTTPService
  }

  /// Starts a listener on loops that are already running.
  package static func start(
    _ settings: Settings, serving site: any Site, on loops: [SocketLoop]
  ) async throws(ServerError) -> Listener {
    precondition(!loops.isEmpty, "a listener needs a loop")
    if let tls = settings.tls { _ = try TLSCertificate(reading: tls) }
    let sockets = try ListeningSocket.listen(host: settings.host, port: settings.port)
    let descriptors = ProcessFigures.descriptorLimit
    let firstKept = descriptors - ServerLimits.descriptorsKept(of: descriptors)
    if !settings.takesLastDescriptors, sockets.contains(where: { $0.descriptor >= firstKept }) {
      throw .descriptorsUsedUp(address: "\(settings.host):\(settings.port)")
    }
    var shares: [Share] = []
    for loop in loops {
      let tally = LoopTally(in: settings.allowance)
      let host = await loop.perform {
        Made(host: loop.addHost(limits: settings.limits, tally: tally, tls: settings.tls))
      }.host
      guard let host else {
        throw .cannotListen(
          address: "\(settings.host):\(settings.port)", reason: "libwebsockets refused the certificate or the settings")
      }
      let service = HTTPService(
        site: site, proxies: settings.proxies, refusals: settings.refusals,
        tunnels: settings.tls == nil ? settings.tunnels : nil)
      shares.append(Share(loop: loop, tally: tally, host: host, service: service))
    }
    let listener = Listener(settings: settings, port: sockets[0].port, shares: shares)
    let handed = Handed(sockets: sockets)
    await loops[0].perform {
      listener.acceptors = handed.sockets.map { Acceptor(socket: $0, for: listener, on: loops[0]) }
    }
    return listener
  }

  // Both only move objects that were made on one loop, or before, to another.
  private struct Made: @unchecked Sendable { let host: VirtualHost? }
  private struct Handed: @unchecked Sendable { let sockets: [ListeningSocket] }

  private init(settings: Settings, port: Int, shares: [Share]) {
    self.settings = settings
    self.port = port
    self.shares = shares
  }

  /// The open connections of this listener, on all loops.
  package var connections: Int { shares.reduce(0) { $0 + $1.tally.count } }

  /// The open connections on each loop, in the order in which the loops were given.
  package var connectionsByLoop: [Int] { shares.map(\.tally.count) }

  /// Closes the listening sockets; connections stay open.
  package func stopAccepting() async {
    guard isAccepting.exchange(false, ordering: .relaxed) else { return }
    await shares[0].loop.perform {
      self.acceptors.forEach { $0.stop() }
      self.acceptors = []
    }
  }

  /// Ends the connections that wait for another request, and suspends until the HTTP requests under way are completely
  /// answered, for at most `patience`. Each such answer is the last of its connection.
  ///
  /// A request is under way when its head has been read. A client that has sent one gets a moment for it to be read, and one
  /// that has just connected gets ``Settings/firstRequestTime`` to send it: a proxy connects first and cannot take its request back.
  /// Returns the number of requests without an answer at the end.
  @discardableResult
  package func finishRequests(within patience: Duration) async -> Int {
    let start = await shares[0].loop.perform { [loop = shares[0].loop] in loop.now }
    for share in shares { await share.loop.perform { share.beginFinishing() } }
    var unanswered = 0
    for share in shares {
      await share.loop.serving.sleep(until: start + Self.arrivalTime)
      await share.awaitFirstRequests(within: settings.firstRequestTime, until: start + patience)
      unanswered += await share.unanswered(at: start + patience)
    }
    return unanswered
  }

  /// The time in which bytes that were sent should be read.
  fileprivate static let arrivalTime = Duration.milliseconds(20)

  /// Removes the listener while its loops run on. It closes the listening sockets and then every connection without notice,
  /// including WebSockets, and releases each loop's part of it. Returns when that is done, or when the loops have ended.
  ///
  /// To notify clients and finish requests, call ``finishRequests(within:)`` first.
  package func end() async {
    await stopAccepting()
    for share in shares { await share.end() }
  }

  /// Reads the certificate and its key again and uses them from the next handshake on. If they have any fault, the old ones
  /// stay and the error names the fault.
  package func reloadCertificate() async throws(ServerError) {
    guard let tls = settings.tls else { return }
    let certificate = try TLSCertificate(reading: tls)
    for share in shares {
      let isApplied = await share.loop.perform { share.apply(certificate) }
      guard isApplied else { throw .badCertificate("OpenSSL refuses \(tls.certificatePath)") }
    }
  }

  // MARK: For the acceptors

  /// Assigns an accepted descriptor to the loop with the fewest connections. A connection above a limit gets its 503 there.
  func assign(_ descriptor: CInt, excess: TransportRefusals.Reason?) {
    var best = shares[0]
    for share in shares.dropFirst() where share.tally.count < best.tally.count { best = share }
    let share = best
    // A connection that waits for another request can make room, on any loop.
    let others = excess == nil ? [] : shares.filter { $0.loop !== share.loop }
    share.tally.connectionAssigned()
    let (isAnnounced, unreadMakesRoom) = (settings.speaksProxyProtocol, settings.unreadMakesRoom)
    share.loop.events.execute {
      share.take(
        descriptor, excess: excess, isAnnounced: isAnnounced, unreadMakesRoom: unreadMakesRoom, others: others)
    }
  }
}

extension Listener.Share: @unchecked Sendable {
  // @unchecked Sendable: the vhost is used only on the loop beside it.

  /// Returns the number of requests left at `deadline`, or 0 as soon as there are none.
  func unanswered(at deadline: Instant) async -> Int {
    await withCheckedContinuation { continuation in
      loop.events.execute { service.requests.wait(until: deadline, on: loop) { continuation.resume(returning: $0) } }
    }
  }

  /// Suspends while a new connection may still send its request.
  func awaitFirstRequests(within time: Duration, until deadline: Instant) async {
    while let wait = await loop.perform({ nextFirstRequest(within: time, until: deadline) }) {
      await loop.serving.sleep(until: wait)
    }
  }

  /// Returns when to look again for the request of a new connection; nil if there is none to wait for. Only on the loop.
  private func nextFirstRequest(within time: Duration, until deadline: Instant) -> Instant? {
    let isNew = { (connection: ServerConnection) in
      connection.host === host && connection.owesRequest && connection.beganAt + time > loop.now
    }
    guard loop.now < deadline, loop.connections.first(where: isNew) != nil else { return nil }
    return min(deadline, loop.now + Listener.arrivalTime)
  }

  func end() async {
    await LoopStage(loop: loop.events).perform { await host.end() }
  }

  func apply(_ certificate: TLSCertificate) -> Bool {
    host.apply(certificate)
  }

  /// Makes each further answer the last of its connection. Ends the connections that wait for another request, unless that has
  /// arrived, and feeds, which have no end of their own.
  func beginFinishing() {
    service.requests.isFinishing = true
    for connection in loop.connections.all(where: { (busy: ServerConnection) in busy.host === host && busy.isFeeding })
    {
      connection.endFeed()
    }
    for connection in loop.idleConnections.all(where: { (idle: ServerConnection) in idle.host === host }) {
      connection.readSome()
      if case .idle = connection.phase { connection.finish() }
    }
  }

  /// Serves the descriptor, after a proxy has named its client if necessary.
  ///
  /// A connection above a limit replaces one that waits for another request, here or on one of the `others`. If
  /// `unreadMakesRoom`, it replaces the one here that has owed its request longest. Only on the loop.
  func take(
    _ descriptor: CInt, excess: TransportRefusals.Reason?, isAnnounced: Bool, unreadMakesRoom: Bool,
    others: [Listener.Share]
  ) {
    guard !host.hasEnded, !host.isEnding else {
      close(descriptor)
      return host.connectionEnded()
    }
    // The library's table has no entry for a number above it, which a WebSocket would need.
    var excess = excess ?? (descriptor < loop.descriptorsMax ? nil : .descriptorLimit)
    if excess == .connectionLimit || excess == .descriptorLimit, descriptor < loop.descriptorsMax {
      let isOurs = { (idle: ServerConnection) in idle.host.tally.allowance === tally.allowance }
      let isUnread = { (unread: ServerConnection) in isOurs(unread) && unread.owesRequest }
      if let idle = loop.idleConnections.first(where: isOurs) {
        idle.finish()
        excess = nil
      } else if unreadMakesRoom, let unread = loop.connections.first(where: isUnread) {
        unread.end()
        excess = nil
      } else if let next = others.first {
        host.connectionEnded()
        next.tally.connectionAssigned()
        let rest = Array(others.dropFirst())
        return next.loop.events.execute { [excess] in
          next.take(
            descriptor, excess: excess, isAnnounced: isAnnounced, unreadMakesRoom: unreadMakesRoom, others: rest)
        }
      }
    }
    if let excess { service.refusals.count(excess) }
    let peer = isAnnounced ? SocketAddress.ofPeer(descriptor)?.text : nil
    guard let address = peer.flatMap({ IPAddress($0) }), service.proxies.contains(address) else {
      return serve(descriptor, excess: excess, client: nil)
    }
    let arrival = ProxiedArrival(descriptor, for: host) { [excess] outcome in
      switch outcome {
      case .client(let client): serve(descriptor, excess: excess, client: client)
      case .refused: service.refusals.count(.proxyHeader)
      }
    }
    arrival.start()
  }

  /// Serves the descriptor, with the client's address if a proxy has named it.
  private func serve(_ descriptor: CInt, excess: TransportRefusals.Reason?, client: String?) {
    ServerConnection(host: host, service: service, descriptor: descriptor, excess: excess, client: client).start()
  }
}
