package import GatewayCore
package import GatewayRuntime

/// The faults that a gateway has been ordered to have: that it loses the next reply to a refresh, for instance. Whoever does
/// something that may go wrong asks the book first.
///
/// `@unchecked Sendable`: touched only on the gateway's loop.
package final class FaultBook: @unchecked Sendable {
  package let loop: EventLoop
  private let seed: UInt64
  /// In the order in which they were ordered.
  package private(set) var standing: [StandingFault] = []
  private var lastNumber: UInt32 = 0
  /// The connections that are open.
  private var sockets: [ConnectionID: FaultySocket] = [:]
  /// How many have been opened.
  private(set) var connectionCount: UInt64 = 0
  private var alarms: [UInt32: FaultAlarm] = [:]
  /// What is just being said, and to whom: noted where it is put into words, taken where the words go out.
  private var said: Said?
  /// Why a connection is just being closed.
  private var closing: (reason: CloseReason, words: CloseReason)?
  /// The messages on their way that go out late, or come in late.
  private var late: [UInt64: LateMessage] = [:]
  private var lastLate: UInt64 = 0
  /// Who waits for what a fault holds back.
  let waits = FaultWaits()
  private weak var journal: Journal?

  /// Whether the upgrade that is just judged is one whose login fails behind it.
  var failsLogin = false

  /// How many faults may stand at once.
  package static let countMax = 256
  /// How many messages may be late at once; more are on time.
  static let lateMax = 10_000

  /// - Parameters:
  ///   - loop: The gateway's one loop.
  ///   - seed: Decides which users a share takes in.
  package init(on loop: EventLoop, seed: UInt64) {
    self.loop = loop
    self.seed = seed
  }

  /// Writes what befalls whom into that journal from here on.
  package func attach(to journal: Journal?) { self.journal = journal }

  // MARK: Orders

  /// Has the gateway fail so from here on. Throws `GatewayError.tooMany` if as many faults stand as may.
  package func add(_ order: FaultOrder) throws(GatewayError) -> StandingFault {
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
    return fault
  }

  /// Takes a fault back. False if there is none of that number.
  package func remove(_ number: UInt32) -> Bool {
    guard let index = standing.firstIndex(where: { $0.number == number }) else { return false }
    end(standing.remove(at: index))
    return true
  }

  /// Takes all back. Returns how many stood.
  package func removeAll() -> Int {
    let all = standing
    standing = []
    for fault in all { end(fault) }
    return all.count
  }

  /// Forgets those that will befall nobody any more, but for the last of them, which somebody may yet ask after.
  private func sweep() {
    let now = loop.now
    guard standing.count >= Self.countMax else { return }
    standing.removeAll { $0.isOver(at: now) && !($0.order.fault is any SocketFault) }
  }

  private func end(_ fault: StandingFault) {
    if let alarm = alarms.removeValue(forKey: fault.number) { loop.deadlines.remove(alarm.wakeup) }
    for socket in inOrder { socket.recover(from: fault) }
    waits.end(of: fault.number)
    setClock()
    if !standing.contains(where: { $0.order.moment.event != nil }) { journal?.observer = nil }
  }

  /// Lets go of everything: the gateway has ended.
  package func end() {
    _ = removeAll()
    for message in late.values { loop.transport.deadlines.remove(message.wakeup) }
    late = [:]
    waits.endAll()
  }

  // MARK: Questions

  /// The first fault of that kind that befalls `subject` now and `isMeant`; nil if there is none.
  package func fault<Kind>(
    _ kind: Kind.Type = Kind.self, of subject: @autoclosure () -> FaultSubject, _ connection: ConnectionID? = nil,
    where isMeant: (Kind) -> Bool = { _ in true }
  ) -> Kind? {
    befallen(kind, of: subject(), connection) { fault, _ in isMeant(fault) }?.fault
  }

  /// The same with what the book knows of the order.
  func befallen<Kind>(
    _ kind: Kind.Type = Kind.self, of subject: @autoclosure () -> FaultSubject, _ connection: ConnectionID? = nil,
    where isMeant: (Kind, StandingFault) -> Bool = { _, _ in true }
  ) -> (fault: Kind, standing: StandingFault)? {
    guard !standing.isEmpty else { return nil }
    var known: FaultSubject?
    for fault in standing {
      guard let meant = fault.order.fault as? Kind, isMeant(meant, fault) else { continue }
      let subject = known ?? subject()
      known = subject
      guard fault.befalls(subject, connection, at: loop.now) else { continue }
      note(fault, subject, connection)
      return (meant, fault)
    }
    return nil
  }

  /// Whether a fault of that kind would befall `subject` now, which befalls nobody by that.
  func expects<Kind>(_ kind: Kind.Type, of subject: FaultSubject, _ connection: ConnectionID?) -> Bool {
    standing.contains { $0.order.fault is Kind && $0.threatens(subject, connection, at: loop.now) }
  }

  /// The number of an open connection among those that were opened, from 1.
  func number(of connection: ConnectionID?) -> UInt64? { connection.flatMap { sockets[$0]?.number } }

  /// Whether a fault of that kind stands that is only for users whose names are known.
  func isForUsers<Kind>(_ kind: Kind.Type) -> Bool {
    standing.contains { $0.order.fault is Kind && $0.order.aim.isOfUsers }
  }

  /// Whether a fault of messages stands.
  var hasMessageFaults: Bool { standing.contains { $0.order.fault is any MessageFault } }

  private func note(_ fault: StandingFault, _ subject: FaultSubject, _ connection: ConnectionID?) {
    journal?.write(fault: fault.word, number: fault.number, by: connection, of: subject.user)
  }

  /// How the login of the connection, or its refresh, fails; nil if it need not.
  func loginFailure(of bearer: Bearer) -> LoginFailure? {
    guard let socket = bearer.connection.flatMap({ sockets[$0] }) else { return nil }
    guard bearer.user != nil else { return socket.failure }
    let fault = fault((any LoginFault).self, of: socket.subject, socket.connection.id) {
      $0.use.takesIn(isRefresh: true)
    }
    if let fault { socket.failRefresh(fault.failure) }
    return fault?.failure
  }

  // MARK: What is being said

  /// The message that is just said to a connection: its welcome, of which the frame that goes out next is only the
  /// beginning, for instance.
  struct Said {
    let connection: ConnectionID
    let meaning: JournalMessage
    let isBeginning: Bool
  }

  func isSaying(_ meaning: JournalMessage, isBeginning: Bool = false, to connection: ConnectionID) {
    said = Said(connection: connection, meaning: meaning, isBeginning: isBeginning)
  }

  /// What goes out to the connection; nil for what no session says.
  func takeSaid(to connection: ConnectionID) -> Said? {
    defer { said = nil }
    return said?.connection == connection ? said : nil
  }

  func isClosing(for reason: CloseReason, in words: CloseReason) { closing = (reason, words) }

  /// The gateway's own reason where a connection is closed in these words.
  func takeClosing(in words: CloseReason) -> CloseReason {
    defer { closing = nil }
    return closing?.words == words ? closing?.reason ?? words : words
  }

  // MARK: Late messages

  /// Whether one more may be late.
  var hasRoomForLate: Bool { late.count < Self.lateMax }

  /// Calls `arrive` so much later, in the time of the network.
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

  /// Stands between a connection and its socket from here on.
  func open(_ socket: FaultySocket) {
    connectionCount += 1
    socket.number = connectionCount
    sockets[socket.connection.id] = socket
    for fault in standing where fault.order.aim.connection != nil && fault.order.moment.event == nil {
      befall(socket, fault)
    }
  }

  func close(_ socket: FaultySocket) {
    sockets[socket.connection.id] = nil
    for fault in standing { fault.forget(socket.connection.id) }
  }

  private var inOrder: [FaultySocket] { sockets.values.sorted { $0.number < $1.number } }

  fileprivate func befallAll(_ fault: StandingFault) {
    for socket in inOrder { befall(socket, fault) }
    if fault.ends != .distantFuture { setAlarm(for: fault, at: fault.ends) }
  }

  private func befall(_ socket: FaultySocket, _ fault: StandingFault) {
    guard let kind = fault.order.fault as? any SocketFault,
      fault.befalls(socket.subject, socket.connection.id, at: loop.now)
    else { return }
    note(fault, socket.subject, socket.connection.id)
    socket.suffer(kind, from: fault)
  }

  private func setAlarm(for fault: StandingFault, at deadline: Instant) {
    let alarm = alarms[fault.number] ?? FaultAlarm(fault, in: self)
    alarms[fault.number] = alarm
    loop.deadlines.set(alarm.wakeup, at: deadline)
  }

  fileprivate func pass(_ fault: StandingFault) {
    if loop.now >= fault.ends { end(fault) } else { befallAll(fault) }
  }
}

extension FaultBook {
  /// The socket of the connection; those of the user where something happened to nobody's connection.
  fileprivate func sockets(_ connection: ConnectionID?, of user: UserID?) -> [FaultySocket] {
    if let connection { return sockets[connection].map { [$0] } ?? [] }
    guard let user else { return [] }
    return inOrder.filter { $0.subject.user == user }
  }
}

// What has happened is heard of by those faults that follow it.

extension FaultBook: JournalObserver {
  package func journalWrote(_ kind: JournalKind, by connection: ConnectionID?, of user: UserID?) {
    for fault in standing where fault.order.moment.event == kind {
      fault.note(connection, user)
      guard fault.order.fault is any SocketFault else { continue }
      // Not in the middle of what it follows.
      loop.execute { [self] in
        for socket in sockets(connection, of: user) { befall(socket, fault) }
      }
    }
  }
}

/// The alarm of one fault, which goes off when it begins, at noon for instance, and when it ends.
private final class FaultAlarm: WakeupTarget {
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
