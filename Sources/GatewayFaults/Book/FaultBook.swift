package import GatewayCore
package import GatewayRuntime

/// The faults that a gateway was ordered to have. Every operation that may fail asks the book first.
///
/// `@unchecked Sendable`: used only on the gateway's loop.
package final class FaultBook: @unchecked Sendable {
  package let loop: EventLoop
  private let seed: UInt64
  /// The choice of the faults that it takes; nil for all of a gateway.
  package let policy: (any FaultPolicy)?
  /// Returns the application's own servers that the gateway sends something to.
  package var places: () -> [OutboundPlace] = { [] }
  /// Called when a fault of an issuer's keys begins or ends. Keys are asked for seldom.
  package var keysChanged: (() -> Void)?
  /// Sends signals to the gateway itself; nil if it takes none.
  package weak var signals: (any SignalHand)?
  /// The faults in the order of their orders.
  package private(set) var standing: [StandingFault] = []
  private var lastNumber: UInt32 = 0
  /// The open connections.
  private(set) var sockets: [ConnectionID: FaultySocket] = [:]
  /// The number of connections opened so far.
  package private(set) var connectionCount: UInt64 = 0
  private var timers: [UInt32: FaultTimer] = [:]
  /// The message that is being sent, and its connection. Set when it is encoded, read when its frame goes out.
  private var said: Said?
  /// The reason for which a connection is being closed.
  private var closing: (reason: CloseReason, words: CloseReason)?
  /// The messages that are delayed, in either direction.
  private var late: [UInt64: LateMessage] = [:]
  /// The number of held-back messages, with those whose time has come and that cannot be sent yet.
  private var keptCount = 0
  private var keptBytes = 0
  private var lastLate: UInt64 = 0
  /// The tasks that a fault makes wait.
  let waits = FaultWaits()
  private weak var journal: Journal?

  /// Whether the login of the current upgrade request must fail after the upgrade.
  var failsLogin = false

  /// The maximum number of faults at once.
  package static let countMax = 256
  /// The maximum number of messages that are kept back at once. Further messages are not delayed.
  package static let keptMax = 10_000
  /// The maximum number of their bytes.
  package static let keptBytesMax = 16 << 20

  /// Creates a book.
  ///
  /// - Parameters:
  ///   - loop: The gateway's one loop.
  ///   - seed: The seed that decides which users belong to a share.
  ///   - policy: The choice of the faults that it takes; nil for all of a gateway.
  package init(on loop: EventLoop, seed: UInt64, policy: (any FaultPolicy)? = nil) {
    self.loop = loop
    self.seed = seed
    self.policy = policy
  }

  /// Records each occurrence of a fault in that journal from now on.
  package func attach(to journal: Journal?) { self.journal = journal }

  // MARK: Orders

  /// Adds a fault. Throws `GatewayError.tooMany` if the maximum number of faults exists.
  package func add(_ order: FaultOrder) throws(GatewayError) -> StandingFault {
    try check(order)
    sweep()
    guard standing.count < Self.countMax else {
      throw .tooMany.detailed("\(Self.countMax) faults stand already; take some back")
    }
    lastNumber += 1
    let fault = StandingFault(
      lastNumber, order, at: loop.now, loop.rightWallTime, seed: seed, connections: connectionCount)
    standing.append(fault)
    if order.moment.event != nil { journal?.observer = self }
    setClock()
    if order.fault is any SocketFault, order.moment.event == nil, order.aim.connection == nil {
      if order.moment.delay == nil { befallAll(fault) } else { setAlarm(for: fault, at: fault.begins) }
    }
    if fault.isOfKeys, order.moment.event == nil {
      if order.moment.delay == nil { begin(fault) } else { setAlarm(for: fault, at: fault.begins) }
    }
    if fault.signalFault != nil, order.moment.event == nil {
      if order.moment.delay == nil { play(fault) } else { setAlarm(for: fault, at: fault.begins) }
    }
    return fault
  }

  /// Removes a fault. Returns false if there is none of that number.
  package func remove(_ number: UInt32) -> Bool {
    guard let index = standing.firstIndex(where: { $0.number == number }) else { return false }
    end(standing.remove(at: index))
    return true
  }

  /// Removes all faults. Returns their number.
  package func removeAll() -> Int {
    let all = standing
    standing = []
    for fault in all { end(fault) }
    return all.count
  }

  /// Removes faults that are over, except socket faults. It does so only when the book is full, since a client may
  /// still ask about them.
  private func sweep() {
    let now = loop.now
    guard standing.count >= Self.countMax else { return }
    standing.removeAll { $0.isOver(at: now) && !($0.order.fault is any SocketFault) }
  }

  private func end(_ fault: StandingFault) {
    if let timer = timers.removeValue(forKey: fault.number) { loop.deadlines.remove(timer.wakeup) }
    for socket in inOrder { socket.side(fault.order.side)?.recover(from: fault) }
    waits.end(of: fault.number)
    setClock()
    if fault.isOfKeys { keysChanged?() }
    if !standing.contains(where: { $0.order.moment.event != nil }) { journal?.observer = nil }
  }

  /// Removes everything, when the gateway ends.
  package func end() {
    keysChanged = nil
    _ = removeAll()
    for message in late.values { loop.transport.deadlines.remove(message.wakeup) }
    late = [:]
    waits.endAll()
  }

  // MARK: Questions

  /// Returns the first fault of that kind that affects `subject` now and fulfils `isMeant`; nil if there is none.
  package func fault<Kind>(
    _ kind: Kind.Type = Kind.self, of subject: @autoclosure () -> FaultSubject, _ connection: ConnectionID? = nil,
    where isMeant: (Kind) -> Bool = { _ in true }
  ) -> Kind? {
    befallen(kind, of: subject(), connection) { fault, _ in isMeant(fault) }?.fault
  }

  /// Returns the same fault together with its entry in the book.
  func befallen<Kind>(
    _ kind: Kind.Type = Kind.self, of subject: @autoclosure () -> FaultSubject, _ connection: ConnectionID? = nil,
    where isMeant: (Kind, StandingFault) -> Bool = { _, _ in true }, isFull: (Kind) -> Bool = { _ in false }
  ) -> (fault: Kind, standing: StandingFault)? {
    guard !standing.isEmpty else { return nil }
    var known: FaultSubject?
    for fault in standing {
      guard let meant = fault.order.fault as? Kind, isMeant(meant, fault) else { continue }
      let subject = known ?? subject()
      known = subject
      guard fault.befalls(subject, connection, at: loop.now) else { continue }
      note(fault, subject, connection, isFull: isFull(meant))
      return (meant, fault)
    }
    return nil
  }

  /// Returns the fault of a message and its fate; nil if none affects it. A message that must wait and finds no room is
  /// sent at once. A fault of told lives affects messages that can tell one, by `tells`.
  func fate(
    of frame: Frame, _ subject: @autoclosure () -> FaultSubject, _ connection: ConnectionID,
    tells: (Duration) -> Bool = { _ in false }, where isMeant: (FaultyMessage) -> Bool
  ) -> (fault: any MessageFault, fate: MessageFate?)? {
    let hasRoom = hasRoom(for: frame)
    let found = befallen((any MessageFault).self, of: subject(), connection) { fault, _ in
      isMeant(fault.message) && (fault as? any LifeFault).map { tells($0.life) } ?? true
    } isFull: { fault in
      !hasRoom && fault.fate(of: frame).keepsBack
    }
    guard let fault = found?.fault else { return nil }
    let fate = fault.fate(of: frame)
    return (fault, !hasRoom && fate.keepsBack ? nil : fate)
  }

  /// Returns whether a fault of that kind would affect `subject` now. This does not count as an occurrence.
  func expects<Kind>(_ kind: Kind.Type, of subject: FaultSubject, _ connection: ConnectionID?) -> Bool {
    standing.contains { $0.order.fault is Kind && $0.threatens(subject, connection, at: loop.now) }
  }

  /// Returns the number of an open connection in the sequence of opened connections, from 1.
  func number(of connection: ConnectionID?) -> UInt64? { connection.flatMap { sockets[$0]?.number } }

  /// Returns whether a fault of that kind applies only to users whose names are known.
  func isForUsers<Kind>(_ kind: Kind.Type) -> Bool {
    standing.contains { $0.order.fault is Kind && $0.order.aim.isOfUsers }
  }

  /// Whether there is a fault of messages.
  var hasMessageFaults: Bool { standing.contains { $0.order.fault is any MessageFault } }

  func note(
    _ fault: StandingFault, _ subject: FaultSubject, _ connection: ConnectionID?, isFull: Bool = false
  ) {
    journal?.write(fault: fault.word, number: fault.number, isFull: isFull, by: connection, of: subject.user)
  }

  /// Returns how the login of the connection, or its refresh, fails; nil if it does not.
  func loginFailure(of bearer: Bearer) -> LoginFailure? {
    guard let socket = bearer.connection.flatMap({ sockets[$0] }) else { return nil }
    guard bearer.user != nil else { return socket.failure }
    let fault = fault((any LoginFault).self, of: socket.subject, socket.id) {
      $0.use.takesIn(isRefresh: true)
    }
    if let fault { socket.failRefresh(fault.failure) }
    return fault?.failure
  }

  // MARK: The message being sent

  /// The message that is being sent to a connection. The next frame may be only its beginning, e.g. the prelude to a
  /// welcome.
  struct Said {
    let connection: ConnectionID
    let meaning: JournalMessage
    let isBeginning: Bool
  }

  package func isSaying(_ meaning: JournalMessage, isBeginning: Bool = false, to connection: ConnectionID) {
    said = Said(connection: connection, meaning: meaning, isBeginning: isBeginning)
  }

  /// Returns the message that the next frame to the connection belongs to; nil if no session sends it.
  func takeSaid(to connection: ConnectionID) -> Said? {
    defer { said = nil }
    return said?.connection == connection ? said : nil
  }

  func isClosing(for reason: CloseReason, in words: CloseReason) { closing = (reason, words) }

  /// Returns the gateway's own reason for closing a connection with these words.
  func takeClosing(in words: CloseReason) -> CloseReason {
    defer { closing = nil }
    return closing?.words == words ? closing?.reason ?? words : words
  }

  // MARK: Late messages

  /// Returns whether one more message may be kept back.
  func hasRoom(for frame: Frame) -> Bool {
    keptCount < Self.keptMax && keptBytes + frame.payload.count <= Self.keptBytesMax
  }

  /// Counts a message that is kept back.
  func keep(_ frame: Frame) {
    keptCount += 1
    keptBytes += frame.payload.count
  }

  /// Counts a message that is kept back no longer.
  func release(_ frame: Frame) {
    keptCount -= 1
    keptBytes -= frame.payload.count
  }

  /// Calls `arrive` after `duration`, in the time of the network.
  func after(_ duration: Duration, _ arrive: @escaping () -> Void) {
    lastLate += 1
    let number = lastLate
    let message = LateMessage { [unowned self] in
      late[number] = nil
      loop.asCurrent(arrive)
    }
    late[number] = message
    loop.transport.deadlines.set(message.wakeup, at: loop.transport.now + duration)
  }

  // MARK: Sockets

  /// Registers an opened socket, and applies the faults for its number.
  func open(_ socket: FaultySocket) {
    connectionCount += 1
    socket.number = connectionCount
    socket.upstream?.number = connectionCount
    sockets[socket.id] = socket
    for fault in standing where fault.order.aim.connection != nil && fault.order.moment.event == nil {
      befall(socket, fault)
    }
  }

  func close(_ socket: FaultySocket) {
    sockets[socket.id] = nil
    for fault in standing { fault.forget(socket.id) }
  }

  var inOrder: [FaultySocket] { sockets.values.sorted { $0.number < $1.number } }

  fileprivate func befallAll(_ fault: StandingFault) {
    for socket in inOrder { befall(socket, fault) }
    if fault.ends != .distantFuture { setAlarm(for: fault, at: fault.ends) }
  }

  func befall(_ socket: FaultySocket, _ fault: StandingFault) {
    guard let kind = fault.order.fault as? any SocketFault,
      let side = socket.side(fault.order.side), fault.befalls(socket.subject, socket.id, at: loop.now)
    else { return }
    note(fault, socket.subject, socket.id)
    side.suffer(kind, from: fault)
  }

  func setAlarm(for fault: StandingFault, at deadline: Instant) {
    let timer = timers[fault.number] ?? FaultTimer(fault, in: self)
    timers[fault.number] = timer
    loop.deadlines.set(timer.wakeup, at: deadline)
  }

  fileprivate func pass(_ fault: StandingFault) {
    if loop.now >= fault.ends {
      end(fault)
    } else if fault.isOfKeys {
      begin(fault)
    } else if fault.signalFault != nil {
      play(fault)
    } else {
      befallAll(fault)
    }
  }
}

/// The timer of one fault, which fires when the fault begins and when it ends.
private final class FaultTimer: WakeupTarget {
  private let fault: StandingFault
  private unowned let book: FaultBook
  private(set) var wakeup: Wakeup!

  init(_ fault: StandingFault, in book: FaultBook) {
    self.fault = fault
    self.book = book
    wakeup = Wakeup(target: self)
  }

  func wakeUp() { book.pass(fault) }
}
