import GatewayCore
import GatewayRuntime
import GatewayServer
import Synchronization

/// A listener on a free loopback port with a test's site.
struct TestServer {
  let loops: [SocketLoop]
  let listener: Listener

  var port: Int { listener.port }

  @discardableResult
  static func with<Result>(
    _ site: TestSite = TestSite(), loops count: Int = 1, host: String = "127.0.0.1",
    _ change: (inout Listener.Settings) -> Void = { _ in },
    _ body: (TestServer) async throws -> Result
  ) async throws -> Result {
    var settings = Listener.Settings(host: host, port: 0)
    change(&settings)
    let loops = (0..<count).map { SocketLoop(index: $0, limits: settings.limits, seed: 1) }
    for loop in loops { try loop.start() }
    defer { loops.forEach { $0.stop() } }
    let listener = try await Listener.start(settings, serving: site, on: loops)
    let result = try await withTaskExecutorPreference(BlockingThreads.shared) {
      try await body(TestServer(loops: loops, listener: listener))
    }
    await listener.stopAccepting()
    return result
  }
}

/// A site that a test defines; by default it echoes and answers `/`.
struct TestSite: Site {
  var onAdmit: @Sendable (HTTPRequest, EventLoop) -> Admission = { _, _ in .accept(EchoHandler(), subprotocol: nil) }
  var onRespond: nonisolated(nonsending) @Sendable (HTTPRequest, EventLoop) async -> HTTPResponse = { request, _ in
    HTTPResponse(status: 200, contentType: "text/plain", text: "\(request.method) \(request.path)")
  }

  var uploads: @Sendable (HTTPRequest) -> Int? = { _ in nil }

  func uploadBytesMax(for request: HTTPRequest) -> Int? { uploads(request) }

  var passes: @Sendable (HTTPRequest) -> Bool = { _ in false }

  func passesBody(of request: HTTPRequest) -> Bool { passes(request) }

  func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission { onAdmit(upgrade, loop) }

  func respond(to request: HTTPRequest, on loop: EventLoop) async -> HTTPResponse { await onRespond(request, loop) }

  /// Returns a site whose sockets report to `events`.
  static func recording(
    _ events: SocketEvents, subprotocol: String? = nil,
    onOpen: @escaping @Sendable (any Socket) -> Void = { _ in },
    onMessage: @escaping @Sendable (any Socket, Frame) -> Void = { _, _ in }
  ) -> TestSite {
    var site = TestSite()
    site.onAdmit = { _, _ in
      .accept(RecordingHandler(events, onOpen: onOpen, onMessage: onMessage), subprotocol: subprotocol)
    }
    return site
  }
}

/// The events of sockets, for which a test can wait.
final class SocketEvents: Sendable {
  enum Event: Equatable, Sendable {
    case opened
    case refused(DialFailure)
    case received(Frame)
    case pong
    case ping
    case violated(CloseReason)
    case closed(UInt16?)
    case outcome(SendOutcome)
  }

  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func add(_ event: Event) { continuation.yield(event) }

  /// Returns the next event.
  func next() async -> Event? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }
}

/// A handler that records its events.
///
/// `@unchecked Sendable`: used on one loop.
final class RecordingHandler: SocketHandler, @unchecked Sendable {
  private let events: SocketEvents
  private let onOpen: @Sendable (any Socket) -> Void
  private let onMessage: @Sendable (any Socket, Frame) -> Void
  private var socket: (any Socket)?

  init(
    _ events: SocketEvents, onOpen: @escaping @Sendable (any Socket) -> Void = { _ in },
    onMessage: @escaping @Sendable (any Socket, Frame) -> Void = { _, _ in }
  ) {
    self.events = events
    self.onOpen = onOpen
    self.onMessage = onMessage
  }

  func socketOpened(_ socket: any Socket) {
    self.socket = socket
    events.add(.opened)
    onOpen(socket)
  }

  func socketRefused(_ failure: DialFailure) { events.add(.refused(failure)) }

  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    let frame = Frame(kind, Array(payload))
    events.add(.received(frame))
    if let socket { onMessage(socket, frame) }
  }

  func socketReceivedPong() { events.add(.pong) }

  func socketReceivedPing() { events.add(.ping) }

  func socketViolated(_ reason: CloseReason) { events.add(.violated(reason)) }

  func socketClosed(_ peerCode: UInt16?) {
    socket = nil
    events.add(.closed(peerCode))
  }
}
