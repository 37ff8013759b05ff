/// An open connection that carries bytes both ways, without a message format of its own. Only on its loop.
package protocol ByteLink: AnyObject {
  /// Queues the bytes. All bytes of one turn of the loop are sent with one write.
  func send(_ bytes: [UInt8])

  /// The number of bytes that the peer has not accepted yet.
  var waitingBytes: Int { get }

  /// Closes the connection. Its handler is not called any more.
  func close()
}

/// The user of a ``ByteLink``. All calls come on the link's loop, none from inside a call of the link's methods.
package protocol ByteLinkHandler: AnyObject {
  /// The connection is open and, if required, secure.
  func linkOpened()

  /// Bytes have arrived. They are valid during the call only.
  func linkReceived(_ bytes: UnsafeRawBufferPointer)

  /// The connection could not be opened, or has ended. The last call.
  ///
  /// - Parameter reason: The fault, for an operator.
  func linkClosed(_ reason: String)
}

/// The address of a server for a ``ByteLink``, and the PEM files for TLS with it.
package struct LinkTarget: Hashable, Sendable {
  package var host: String
  package var port: Int
  package var isTLS: Bool
  /// The authority to trust in place of the system's.
  package var caPath: String?
  /// The client's own certificate and its key; both or neither.
  package var certificatePath: String?
  package var keyPath: String?

  package init(host: String, port: Int, isTLS: Bool = false) {
    self.host = host
    self.port = port
    self.isTLS = isTLS
  }

  /// The host and the port, for an operator.
  package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether the host always means this machine.
  package var isLoopback: Bool { Name(host) == "localhost" || IPAddress(host)?.isLoopback == true }
}

/// An event loop, as a client of another server sees it: it opens links and keeps deadlines.
package protocol LinkLoop: AnyObject, Sendable {
  /// Whether the calling thread is on the loop.
  var isCurrent: Bool { get }

  /// The monotonic time. Only on the loop.
  var now: Instant { get }

  /// The next number in 0..<1 of the loop's generator. Only on the loop.
  func nextShare() -> Double

  /// Opens a link; `handler` is called after this call has returned. Only on the loop.
  func open(to target: LinkTarget, handler: any ByteLinkHandler) -> any ByteLink

  /// Runs `work` on the loop, after what is queued already. From any thread.
  func execute(_ work: @escaping @Sendable () -> Void)

  /// Runs `work` on the loop after `delay`; never if the loop ends first. Only on the loop.
  func run(after delay: Duration, _ work: @escaping @Sendable () -> Void)
}
