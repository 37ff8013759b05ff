internal import GatewayCore
internal import GatewayRuntime
internal import Synchronization

/// A resource of the application's own servers: where it is, and the limits within which it is asked.
package final class Endpoint: Sendable {
  /// Which addresses it may have inside the operator's network.
  enum Reach: Hashable, Sendable {
    /// Any: the command line names its host.
    case anywhere
    /// 127.0.0.1 and ::1, which are the host of the command line by another name, and addresses outside.
    case loopback
    /// None.
    case outside
  }

  let address: EndpointAddress
  let reach: Reach
  /// How long one question may take, with its place in the queue, name service, connection, TLS and repetitions.
  let timeout: Duration
  /// The maximum number of bytes of an answer.
  let answerBytesMax: Int
  /// The number of attempts for a request whose answer may be better a moment later.
  let triesMax: Int
  /// The files for TLS; nil for the system's.
  let identity: TLSIdentity?
  /// Whether the connection is kept for the next question.
  let keepsConnections: Bool
  let tally: EndpointTally
  /// The name of a question's span; nil for requests that are not traced.
  let span: String?
  private let breaker = Mutex(Breaker())

  init(
    _ address: EndpointAddress, counted tally: EndpointTally, reach: Reach = .anywhere, timeout: Duration = .seconds(3),
    answerBytesMax: Int = 64 << 10, triesMax: Int = 1, identity: TLSIdentity? = nil, keepsConnections: Bool = false,
    traced span: String? = nil
  ) {
    self.span = span
    self.address = address
    self.tally = tally
    self.reach = reach
    self.timeout = timeout
    self.answerBytesMax = answerBytesMax
    self.triesMax = triesMax
    self.identity = identity
    self.keepsConnections = keepsConnections
  }

  deinit {
    if breaker.withLock({ $0.isOpen }) { tally.breakerClosed() }
  }

  /// Returns where to connect to.
  ///
  /// - Parameter addresses: The addresses of the host; empty if the dialer knows them.
  func target(_ addresses: [String]) -> DialTarget {
    var target = DialTarget(host: address.host, port: address.port, isTLS: address.isTLS)
    target.addresses = addresses
    target.answerBytesMax = answerBytesMax
    target.identity = identity
    target.keepsConnections = keepsConnections
    return target
  }

  /// Returns whether the breaker would let a question through.
  func lets(at now: Instant) -> Bool { breaker.withLock { $0.lets(at: now) } }

  /// Has the breaker let a question through. Returns false if it must not be sent.
  func take(at now: Instant) -> Bool { breaker.withLock { $0.take(at: now) } }

  /// Notes the end of a question. Returns what it changed.
  func settle(isGood: Bool, retryAfter: Duration?, at now: Instant) -> Breaker.Change? {
    let change = breaker.withLock { $0.settle(isGood: isGood, retryAfter: retryAfter, at: now) }
    switch change {
    case .opened?: tally.breakerOpened()
    case .closed?: tally.breakerClosed()
    case nil: break
    }
    return change
  }

  /// Returns why one of the addresses found for the host must not be asked; nil if all may be.
  func objection(to found: [String]) -> OutboundFailure? {
    let texts = found.isEmpty ? [address.host] : found
    let areHere = texts.allSatisfy { IPAddress($0)?.isLoopback ?? (Name($0) == Name("localhost")) }
    // A request over plain http must not leave this machine, whatever the name service says.
    guard address.isTLS || areHere else {
      return OutboundFailure("\(address.host) is not on loopback, and plain http is spoken to loopback only", .refused)
    }
    let isOutside =
      found.isEmpty && IPAddress(address.host) == nil && !areHere
      || texts.allSatisfy { IPAddress($0).map { !$0.isInside } ?? false }
    guard reach == .anywhere || isOutside || reach == .loopback && texts.allSatisfy(Self.isThisHost) else {
      return OutboundFailure(
        "\(address.host) leads into an internal network, where only hosts of the command line are asked", .refused)
    }
    return nil
  }

  private static func isThisHost(_ text: String) -> Bool {
    ["127.0.0.1", "::1", "localhost"].contains { Name(text) == Name($0) }
  }
}
