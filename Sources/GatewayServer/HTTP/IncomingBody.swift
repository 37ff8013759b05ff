internal import GatewayCore
internal import GatewayRuntime

/// The body of a request that is passed on as it arrives, on its way from the client's connection to its reader.
///
/// The connection reads while less than 64 KiB waits. The last piece given to the reader counts until the reader asks for
/// another.
///
/// `@unchecked Sendable`: used on one loop.
final class IncomingBody: WakeupTarget, @unchecked Sendable {
  static let roomBytes = 64 << 10
  private static let checkInterval = Duration.seconds(1)

  private var body: RequestBody
  private let loop: SocketLoop
  /// The longest time without a byte of a client that may send.
  private let patience: Duration
  /// The connection that reads the body; nil after the body's end.
  private var connection: ServerConnection?
  /// Whether the client waits for 100 (Continue), which it gets when the reader asks for the first piece.
  private(set) var awaitsContinue: Bool
  /// The size of the piece that the reader has taken last.
  private var lent = 0
  private var isWhole = false
  /// Whether the client has left, or was refused, before the body's end.
  private var isCut: Bool { connection == nil && !isWhole }
  /// Whether nobody reads the body any more, so that the rest is discarded.
  private var isAbandoned = false
  private var lastMoved: Instant
  private var waiting: CheckedContinuation<Void, Never>?
  private(set) lazy var wakeup = Wakeup(target: self)

  init(_ body: RequestBody, on connection: ServerConnection, awaitsContinue: Bool) {
    self.body = body
    self.connection = connection
    self.awaitsContinue = awaitsContinue
    loop = connection.loop
    patience = connection.host.limits.handshakeTimeout
    lastMoved = loop.now
    checkLater()
  }

  /// Returns the body for its reader, which is told of an early end by `isCut`. Only once.
  func stream() -> HTTPStream {
    let reader = Reader(self)
    return HTTPStream(endsByItself: true, isCut: { reader.body.isCut }) { await reader.body.next() }
  }

  // MARK: The connection's side

  /// Whether the connection is to read.
  var hasRoom: Bool { isAbandoned || body.bytes.count + lent < Self.roomBytes }

  /// Adds bytes that have arrived.
  func add(_ piece: UnsafeRawBufferPointer) -> RequestBody.Step {
    lastMoved = loop.now
    let step = body.append(piece)
    if isAbandoned { _ = body.takeBytes() }
    if !body.bytes.isEmpty { wake() }
    return step
  }

  /// Ends the body, which is whole, or cut off before its end.
  func end(isWhole: Bool) {
    guard connection != nil else { return }
    self.isWhole = isWhole
    connection = nil
    loop.deadlines.remove(wakeup)
    wake()
  }

  func continueIsSent() { awaitsContinue = false }

  // MARK: The reader's side

  private nonisolated(nonsending) func next() async -> [UInt8]? {
    if !hasRoom { lastMoved = loop.now }
    lent = 0
    connection?.readerAsks(for: self)
    while true {
      guard !isCut else { return nil }
      if !body.bytes.isEmpty {
        let taken = body.takeBytes()
        lent = taken.count
        return taken
      }
      if isWhole || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiting = $0 }
      } onCancel: {
        loop.events.execute { self.wake() }
      }
    }
  }

  private func wake() {
    guard let waiting else { return }
    self.waiting = nil
    waiting.resume()
  }

  /// The rest is read and discarded: a client that sends everything before it reads gets its answer.
  private func abandon() {
    guard let connection else { return }
    isAbandoned = true
    _ = body.takeBytes()
    connection.goOnReceivingBody()
  }

  /// The reader of a body, which is abandoned when it is released.
  private final class Reader: Sendable {
    let body: IncomingBody

    init(_ body: IncomingBody) { self.body = body }

    deinit { body.loop.events.execute { [body] in body.abandon() } }
  }

  // MARK: Time

  private func checkLater() { loop.deadlines.set(wakeup, at: loop.now + min(patience, Self.checkInterval)) }

  func wakeUp() {
    guard let connection else { return }
    checkLater()
    if !hasRoom {
      if connection.stream.hasLeft(owing: body.missing) { connection.end() }
    } else if !awaitsContinue, !isAbandoned, loop.now - lastMoved >= patience {
      connection.bodyStalls()
    }
  }
}
