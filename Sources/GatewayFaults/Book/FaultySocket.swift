package import GatewayCore
package import GatewayRuntime

/// A socket between a party and the transport. Every message and every close passes through it, and faults may lose,
/// delay or change them.
///
/// A proxied connection has two: the client's, for faults of messages and closes, and the gateway's, for faults of its
/// socket and of the closes sent to it.
///
/// `@unchecked Sendable`: used only on the gateway's loop.
package final class FaultySocket: @unchecked Sendable {
  package let party: any FaultParty
  let book: FaultBook
  /// The socket on a proxy's other side.
  let upstream: FaultySocket?
  /// The number in the sequence of opened connections, from 1.
  var number: UInt64 = 0
  private(set) var socket: (any Socket)?
  /// The harm that faults have done to it; nil until one does something.
  private var harm: SocketHarm?
  private let ownSide: FaultSide
  /// Whether nothing passes in either direction, while the transport stays.
  private var isCut = false
  /// Whether nothing is read because of a fault.
  private var isHalted = false
  /// Whether nothing is read because the party does not want to.
  private(set) var isPaused = false
  /// Whether the party has closed it.
  private var isClosing = false
  /// Whether the party was told that its transport ended, although it has not.
  private var isForgotten = false
  /// Whether the party wants the transport to answer pings.
  private var wantsPongs = true
  private var withholdsPongs = false

  /// Creates the socket of a client.
  ///
  /// - Parameters:
  ///   - failure: The failure of its login.
  ///   - upstream: The socket on a proxy's other side.
  package init(
    _ party: any FaultParty, in book: FaultBook, failing failure: LoginFailure? = nil,
    before upstream: FaultySocket? = nil
  ) {
    self.party = party
    self.book = book
    self.upstream = upstream
    ownSide = .client
    if let failure { harmed.failure = failure }
  }

  /// Creates the socket between a proxy and the gateway behind it.
  package init(upstreamOf party: any FaultParty, in book: FaultBook) {
    self.party = party
    self.book = book
    upstream = nil
    ownSide = .upstream
  }

  var id: ConnectionID { party.id }

  /// The harm that faults have done to it, made at the first use.
  private var harmed: SocketHarm {
    if let harm { return harm }
    let new = SocketHarm()
    harm = new
    return new
  }

  /// The failure of its login or its refresh; nil if neither fails.
  var failure: LoginFailure? { harm?.failure }
  package var otherClose: OtherClose? { harm?.otherClose }

  /// The messages that are kept back.
  var kept: KeptFrames {
    get { harm?.kept ?? KeptFrames() }
    set { if harm != nil || !newValue.isEmpty { harmed.kept = newValue } }
  }

  /// Returns the socket of that side; nil if there is none.
  func side(_ side: FaultSide) -> FaultySocket? { side == .client ? self : upstream }

  /// The user and connection that faults select by.
  var subject: FaultSubject {
    let facts = party.facts
    return FaultSubject(
      user: facts?.user, kind: facts?.kind, dialect: Name(party.dialectName), expiresIn: facts?.expiresIn,
      connection: number)
  }

  /// Whether messages pass.
  var isPassing: Bool { !isCut && !isForgotten }

  // MARK: Faults of the socket

  func suffer(_ fault: any SocketFault, from standing: StandingFault) {
    harmed.ailments[standing.number] = fault
    fault.befall(self)
  }

  func recover(from standing: StandingFault) {
    harm?.ailments.removeValue(forKey: standing.number)?.leave(self)
  }

  /// Stops everything in both directions, without telling either side, or lets it pass again.
  func cut(_ isCut: Bool) {
    self.isCut = isCut
    settleReading()
  }

  /// Reads nothing from the peer, whatever the party wants, or reads again.
  func halt(_ isHalted: Bool) {
    self.isHalted = isHalted
    settleReading()
  }

  private func settleReading() {
    guard !isCut, !isHalted else { return socket?.stopReading() ?? () }
    socket?.goOnReading()
    if isPaused { socket?.pauseReading() }
  }

  /// Leaves the peer's pings without an answer, or answers them again.
  func withholdPongs(_ isWithholding: Bool) {
    withholdsPongs = isWithholding
    socket?.answersPings = wantsPongs && !isWithholding
  }

  /// Has the gateway send a message, once the connection is open.
  func say(_ saying: Saying) {
    book.loop.execute { [self] in party.say(saying) }
  }

  /// Fails the refresh that is being verified, and ends the connection after it.
  func failRefresh(_ failure: LoginFailure) {
    (harmed.failure, harmed.failsRefresh) = (failure, true)
    book.loop.execute { [self] in party.socketViolated(.invalidToken) }
  }

  /// Detaches the party from the transport, which stays open.
  private func forget() {
    guard !isForgotten else { return }
    isForgotten = true
    leaveBook()
    book.loop.execute { [self] in party.socketClosed(nil) }
  }

  private func leaveBook() {
    if ownSide == .client { book.close(self) }
    dropKept()
  }
}

extension FaultySocket: SocketHandler {
  package func socketOpened(_ socket: any Socket) {
    self.socket = socket
    if ownSide == .client { book.open(self) }
    party.socketOpened(self)
  }

  package func socketRefused(_ failure: DialFailure) { party.socketRefused(failure) }

  package var wantsAnswer: Bool { party.wantsAnswer }

  package func socketHeardAnswer(_ answer: HTTPResponse) { party.socketHeardAnswer(answer) }

  package var takesBytesAsText: Bool { party.takesBytesAsText }

  package func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    guard isPassing else { return }
    guard ownSide == .client, book.hasMessageFaults || harm?.kept.heldIn.isEmpty == false else {
      return party.socketReceived(payload, kind)
    }
    let frame = Frame(kind, Array(payload))
    let meaning = party.meaning(of: payload, kind)
    let isLoggedIn = party.facts != nil
    let found = book.fate(of: frame, subject, id) { $0.takesIn(in: meaning, isLoggedIn: isLoggedIn, frame) }
    _ = pass(frame, .in, found?.fate)
  }

  package func socketReceivedPong() { socketReceivedPong(UnsafeRawBufferPointer(start: nil, count: 0)) }

  package func socketReceivedPong(_ payload: UnsafeRawBufferPointer) {
    if isPassing { party.socketReceivedPong(payload) }
  }

  package func socketReceivedPing() { socketReceivedPing(UnsafeRawBufferPointer(start: nil, count: 0)) }

  package func socketReceivedPing(_ payload: UnsafeRawBufferPointer) {
    guard isPassing else { return }
    // Without pongs there is no answer in the wire's format either, but the gateway still knows that the client is
    // alive.
    if withholdsPongs { party.socketReceivedPong() } else { party.socketReceivedPing(payload) }
  }

  package func socketDrained() {
    release(.out)
    if isPassing { party.socketDrained() }
  }

  package func socketViolated(_ reason: CloseReason) {
    if !isForgotten { party.socketViolated(reason) }
  }

  package func socketHeardGoodbye(_ text: String) {
    if !isForgotten { party.socketHeardGoodbye(text) }
  }

  package func socketClosed(_ peerCode: UInt16?) {
    socket = nil
    guard !isForgotten else { return }
    leaveBook()
    party.socketClosed(peerCode)
  }
}

extension FaultySocket: Socket {
  package func send(_ frame: Frame) -> SendOutcome {
    guard socket != nil else { return .closed }
    let said = book.takeSaid(to: id)
    let meaning = said?.meaning ?? .vendor
    if meaning == .loginRefused || (harm?.failsRefresh == true && meaning == .error), let failure {
      switch failure.words {
      case .usual: break
      case .none: return .sent
      case .frame(let other): return go(other, .out)
      }
    }
    let begun = harm?.begun
    harm?.begun = nil
    guard ownSide == .client, book.hasMessageFaults || harm?.kept.heldOut.isEmpty == false || begun != nil else {
      return go(frame, .out, releasing: true)
    }
    if let begun, begun.meaning == meaning { return pass(frame, .out, begun.fault?.fate(of: frame)) }
    let tells = { (life: Duration) in self.party.frame(frame, telling: life) != nil }
    let found = book.fate(of: frame, subject, id, tells: tells) { $0.takesIn(out: meaning, frame) }
    guard said?.isBeginning == true else { return pass(frame, .out, found?.fate) }
    harmed.begun = (meaning, found?.fault)
    return pass(frame, .out, found?.fate?.ofBeginning)
  }

  package func ping() {
    if !isCut { socket?.ping() }
  }

  package func close(_ reason: CloseReason) {
    // A close that is under way is not another one.
    guard !isClosing else { return }
    isClosing = true
    guard !isCut else {
      harmed.otherClose = .noFrame
      return forget()
    }
    let meant = book.takeClosing(in: reason)
    let fault = book.befallen((any EndingFault).self, of: subject, id) { fault, standing in
      standing.order.side == ownSide && fault.close.takesIn(meant, saying: reason.code)
    }?.fault
    let ending = fault?.ending(for: meant) ?? failure?.ending
    switch ending {
    case nil: socket?.close(reason)
    case .closed(let other):
      harmed.otherClose = .code(other.code)
      socket?.close(other)
    case .aborted, .reset, .forgotten:
      harmed.otherClose = .noFrame
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
    isPaused = true
    if !isCut, !isHalted { socket?.pauseReading() }
  }

  package func stopReading() { halt(true) }

  package func goOnReading() {
    isPaused = false
    if !isCut, !isHalted { socket?.goOnReading() }
    // Not from inside the party's call.
    if harm?.kept.lateIn.isEmpty == false { book.loop.execute { [self] in release(.in) } }
  }

  package var answersPings: Bool {
    get { wantsPongs }
    set {
      wantsPongs = newValue
      socket?.answersPings = newValue && !withholdsPongs
    }
  }

  package var answersClose: Bool {
    get { socket?.answersClose ?? true }
    set { socket?.answersClose = newValue }
  }

  package var peer: String { socket?.peer ?? "" }

  package var acceptedAt: Instant { socket?.acceptedAt ?? .zero }
}
