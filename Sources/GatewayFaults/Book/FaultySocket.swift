package import GatewayCore
package import GatewayRuntime

/// A socket between a connection and the transport. Every message and every close passes through it, and faults may
/// lose, delay or change them.
///
/// `@unchecked Sendable`: used only on the gateway's loop.
package final class FaultySocket: @unchecked Sendable {
  package let connection: Connection
  private let book: FaultBook
  /// The number in the sequence of opened connections, from 1.
  var number: UInt64 = 0
  /// The failure of its login or its refresh; nil if neither fails.
  private(set) var failure: LoginFailure?
  /// Whether it is a refresh that fails, which is sent as an error.
  private var failsRefresh = false
  private var socket: (any Socket)?
  package private(set) var otherClose: OtherClose?
  /// The messages that go on after the next one, in either direction.
  private var heldOut: [Frame] = []
  private var heldIn: [Frame] = []
  /// Whether nothing passes in either direction, while the transport stays.
  private var isCut = false
  /// Whether the connection was told that its transport ended, though it did not.
  private var isForgotten = false
  /// The fault of the beginning of a message, which applies to the rest too.
  private var begun: (meaning: JournalMessage, fault: (any MessageFault)?)?
  /// The active faults of the socket, by their numbers.
  private var ailments: [UInt32: any SocketFault] = [:]

  /// The maximum number of messages that wait for the next one.
  private static let heldMax = 64

  init(_ connection: Connection, in book: FaultBook, failing failure: LoginFailure? = nil) {
    self.connection = connection
    self.book = book
    self.failure = failure
  }

  /// The user and connection that faults select by.
  var subject: FaultSubject {
    let facts = connection.facts
    return FaultSubject(
      user: facts?.user, kind: facts?.kind, dialect: Name(connection.binding.dialect.name),
      expiresIn: facts?.expiresIn, connection: number)
  }

  // MARK: Faults of the socket

  func suffer(_ fault: any SocketFault, from standing: StandingFault) {
    ailments[standing.number] = fault
    fault.befall(self)
  }

  func recover(from standing: StandingFault) {
    ailments.removeValue(forKey: standing.number)?.leave(self)
  }

  /// Stops everything in both directions, without telling either side, or lets it pass again.
  package func cut(_ isCut: Bool) {
    self.isCut = isCut
    if isCut { stopReading() } else { goOnReading() }
  }

  /// Fails the refresh that is being verified, and ends the connection after it.
  func failRefresh(_ failure: LoginFailure) {
    (self.failure, failsRefresh) = (failure, true)
    book.loop.execute { [self] in connection.socketViolated(.invalidToken) }
  }

  // MARK: Messages

  private enum Direction { case `in`, out }

  /// Handles a message according to its fate.
  private func pass(_ frame: Frame, _ direction: Direction, _ fate: MessageFate?) -> SendOutcome {
    switch fate {
    case nil: return go(frame, direction, releasing: true)
    case .lost: return .sent
    case .late(let duration):
      guard book.hasRoomForLate else { return go(frame, direction) }
      book.after(duration) { [weak self] in _ = self?.go(frame, direction) }
      return .sent
    case .twice:
      _ = go(frame, direction)
      return go(frame, direction)
    case .behindNext:
      switch direction {
      case .in where heldIn.count < Self.heldMax: heldIn.append(frame)
      case .out where heldOut.count < Self.heldMax: heldOut.append(frame)
      default: return go(frame, direction)
      }
      return .sent
    case .replaced(let other): return go(other, direction)
    case .reworded(let message):
      let dialect = (connection.dialect as? FaultyDialect)?.inner ?? connection.dialect
      guard let other = dialect.encode(message, connection.dialectContext) else { return .sent }
      return go(other, direction)
    }
  }

  /// Lets a message pass, and after it the messages that waited for the next one.
  private func go(_ frame: Frame, _ direction: Direction, releasing: Bool = false) -> SendOutcome {
    guard let socket else { return .closed }
    guard !isCut, !isForgotten else { return .sent }
    switch direction {
    case .in:
      frame.payload.withUnsafeBytes { connection.socketReceived($0, frame.kind) }
      guard releasing else { return .sent }
      let waiting = heldIn
      heldIn = []
      for frame in waiting { frame.payload.withUnsafeBytes { connection.socketReceived($0, frame.kind) } }
      return .sent
    case .out:
      var outcome = socket.send(frame)
      guard releasing else { return outcome }
      let waiting = heldOut
      heldOut = []
      for frame in waiting where outcome != .overflow { outcome = socket.send(frame) }
      return outcome
    }
  }

  private func fateIn(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ frame: Frame) -> MessageFate? {
    let meaning = connection.meaning(of: payload, kind)
    let isLoggedIn = connection.facts != nil
    return book.fault((any MessageFault).self, of: subject, connection.id) {
      $0.message.takesIn(in: meaning, isLoggedIn: isLoggedIn)
    }?.fate(of: frame)
  }
}

extension FaultySocket: SocketHandler {
  package func socketOpened(_ socket: any Socket) {
    self.socket = socket
    book.open(self)
    connection.socketOpened(self)
  }

  package func socketRefused(_ failure: DialFailure) { connection.socketRefused(failure) }

  package var takesBytesAsText: Bool { connection.takesBytesAsText }

  package func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    guard !isCut, !isForgotten else { return }
    guard book.hasMessageFaults || !heldIn.isEmpty else { return connection.socketReceived(payload, kind) }
    let frame = Frame(kind, Array(payload))
    _ = pass(frame, .in, fateIn(payload, kind, frame))
  }

  package func socketReceivedPong() {
    if !isCut, !isForgotten { connection.socketReceivedPong() }
  }

  package func socketReceivedPing() {
    guard !isCut, !isForgotten else { return }
    // Without pongs there is no answer in the wire's format either, but the gateway still knows that the client is
    // alive.
    if answersPings { connection.socketReceivedPing() } else { connection.socketReceivedPong() }
  }

  package func socketViolated(_ reason: CloseReason) {
    if !isForgotten { connection.socketViolated(reason) }
  }

  package func socketClosed(_ peerCode: UInt16?) {
    if !isForgotten {
      book.close(self)
      connection.socketClosed(peerCode)
    }
    socket = nil
  }
}

extension FaultySocket: Socket {
  package func send(_ frame: Frame) -> SendOutcome {
    guard socket != nil else { return .closed }
    let said = book.takeSaid(to: connection.id)
    let meaning = said?.meaning ?? .vendor
    if meaning == .loginRefused || (failsRefresh && meaning == .error), let failure {
      switch failure.words {
      case .usual: break
      case .none: return .sent
      case .frame(let other): return go(other, .out)
      }
    }
    let begun = begun
    self.begun = nil
    guard book.hasMessageFaults || !heldOut.isEmpty || begun != nil else { return go(frame, .out, releasing: true) }
    if let begun, begun.meaning == meaning { return pass(frame, .out, begun.fault?.fate(of: frame)) }
    let fault = book.fault((any MessageFault).self, of: subject, connection.id) { $0.message.takesIn(out: meaning) }
    let fate = fault?.fate(of: frame)
    guard said?.isBeginning == true else { return pass(frame, .out, fate) }
    self.begun = (meaning, fault)
    return pass(frame, .out, fate?.ofBeginning)
  }

  package func ping() {
    if !isCut { socket?.ping() }
  }

  package func close(_ reason: CloseReason) {
    guard !isCut else {
      otherClose = .noFrame
      return forget()
    }
    let meant = book.takeClosing(in: reason)
    let fault = book.fault((any EndingFault).self, of: subject, connection.id) {
      $0.reasons.isEmpty || $0.reasons.contains(Name(meant.name))
    }
    let ending = fault?.ending(for: meant) ?? failure?.ending
    switch ending {
    case nil: socket?.close(reason)
    case .closed(let other):
      otherClose = .code(other.code)
      socket?.close(other)
    case .aborted, .reset, .forgotten:
      otherClose = .noFrame
      if ending == .forgotten { forget() } else if ending == .reset { socket?.reset() } else { socket?.abort() }
    }
  }

  package func abort() {
    if isCut { forget() } else { socket?.abort() }
  }

  package func reset() { socket?.reset() }

  package var waitingBytes: Int { socket?.waitingBytes ?? 0 }

  package func ping(_ payload: [UInt8]) {
    if !isCut { socket?.ping(payload) }
  }

  package func pong(_ payload: [UInt8]) {
    if !isCut { socket?.pong(payload) }
  }

  package func pauseReading() {
    if !isCut { socket?.pauseReading() }
  }

  package func stopReading() { socket?.stopReading() }

  package func goOnReading() {
    if !isCut { socket?.goOnReading() }
  }

  package var answersPings: Bool {
    get { socket?.answersPings ?? true }
    set { socket?.answersPings = newValue }
  }

  package var answersClose: Bool {
    get { socket?.answersClose ?? true }
    set { socket?.answersClose = newValue }
  }

  /// Detaches the gateway from the connection, whose transport stays as it is.
  private func forget() {
    guard !isForgotten else { return }
    isForgotten = true
    book.close(self)
    book.loop.execute { [self] in connection.socketClosed(nil) }
  }

  package var peer: String { socket?.peer ?? "" }

  package var acceptedAt: Instant { socket?.acceptedAt ?? .zero }
}
