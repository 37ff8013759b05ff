package import GatewayCore

/// One WebSocket: an actor pinned to its loop, and the only code between received bytes and effects.
///
/// It passes received bytes to the dialect and the session, and performs the session's effects. It decides nothing
/// itself. One wake-up serves the earlier of two times, the session's deadline and the peer's next sign of life. A
/// session with its own clock has two.
///
/// The way from a message to its effects has no `await`, so nothing interleaves. Nothing on that way comes back to it in the
/// middle of a change, so the runtime need not check the accesses of each message (`@exclusivity(unchecked)`).
package actor Connection {
  package nonisolated let id: ConnectionID
  package nonisolated let binding: DialectBinding
  nonisolated let table: LoopTable
  let gateway: Gateway
  /// The dialect's notes about the upgrade.
  private let upgradeDetails: Baggage?
  /// The memory of the conversation, for wires that need one.
  nonisolated let conversation: (any Conversation)?
  @exclusivity(unchecked) private(set) var session: Session
  /// The state of the session.
  @exclusivity(unchecked) private(set) var standing: SessionStanding
  @exclusivity(unchecked) private(set) var socket: (any Socket)?
  /// The credentials of the upgrade with their verdict, until the session asks for it.
  private var admitted: Admitted?
  /// The calls that it watches.
  var watched: Set<CallID> = []
  /// The commands that are under way or wait their turn; nil until the first that is not done at once.
  var lane: CommandLane?
  private(set) var loggedInAs: UserID?
  private(set) var wakeup: Wakeup!
  /// When the peer last gave a sign of life. This and the next are times of the network.
  @exclusivity(unchecked) var lastHeard: Instant
  /// When it was asked for a sign of life that has not come; the distant future if it was not.
  @exclusivity(unchecked) var pingedAt = Instant.distantFuture
  /// The end of the token that the horizon counts it by; the distant future while it does not.
  @exclusivity(unchecked) var countedExpiry = Instant.distantFuture
  // The small ones come last, where they share two words: there are as many as connections.
  /// Counts the logins: an answer that comes late is good only for the login that asked.
  private(set) var loginNumber: UInt32 = 0
  /// The number of the user in the journal; 0 for none, or without a journal.
  private(set) var journalUser: UInt32 = 0
  /// The code of the peer's close frame, once that has come.
  private(set) var peerCode: UInt16?
  /// The place of ``binding`` among the gateway's.
  nonisolated let bindingNumber: UInt8
  /// The phase in which the session is counted. A message in the middle of a step may end the session before the step
  /// is complete.
  @exclusivity(unchecked) private var countedPhase: Session.PhaseKind
  private(set) var loggedInKind = UserKind.regular
  /// Whether the first message was a JSON object in text.
  var speaksJSON: Bool?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { table.loop.asUnownedSerialExecutor() }

  /// Creates a connection whose upgrade has been admitted. Only on the loop.
  init(
    gateway: Gateway, table: LoopTable, bindingNumber: Int, upgradeDetails: Baggage?,
    conversation: (any Conversation)?, admitted: Admitted?
  ) {
    let now = table.loop.now
    id = table.nextID()
    binding = gateway.bindings[bindingNumber]
    self.bindingNumber = UInt8(bindingNumber)
    self.upgradeDetails = upgradeDetails
    self.conversation = conversation
    self.gateway = gateway
    self.table = table
    self.admitted = admitted
    session = Session(id: id, policy: binding.sharedPolicy ?? table.sessionPolicy, now: now)
    standing = session.standing
    countedPhase = standing.phase
    lastHeard = table.transport.now
  }

  // MARK: Events

  /// Gives the session an event, and does what it answers.
  func handle(_ event: SessionEvent) {
    var effects: [SessionEffect] = []
    swap(&effects, &table.scratch)
    standing = session.handle(event, at: table.loop.now, into: &effects)
    performAll(&effects)
    swap(&effects, &table.scratch)
  }

  /// Lets the count of refused tokens begin anew.
  func forgetRefusals() { session.forgetRefusals() }

  /// Does what the session answered, and what that leads to, until nothing is left.
  func performAll(_ effects: inout [SessionEffect]) {
    var index = 0
    while index < effects.count {
      perform(effects[index], &effects)
      index += 1
    }
    effects.removeAll(keepingCapacity: true)
    if standing.phase == .closed {
      finish()
    } else {
      let phase = standing.phase
      table.countMove(from: countedPhase, to: phase, of: bindingNumber)
      countedPhase = phase
      countExpiry()
      setWakeup()
    }
  }

  private func perform(_ effect: SessionEffect, _ effects: inout [SessionEffect]) {
    switch effect {
    case .send(let message):
      say(message, &effects)
    case .verify(let attempt, let credentials):
      verify(attempt, credentials, &effects)
    case .perform(let command, let user, let request):
      perform(command, user, request, &effects)
    case .logOut:
      leaveEverything(.loggedOut)
      journal(.loggedOut)
      forgetJournalUser()
    case .record(let record):
      note(record)
    case .close(let reason):
      log(closing: reason)
      leaveEverything(.closed(reason))
      sayFarewell(before: reason, &effects)
      let words = closeWords(for: reason)
      socket?.close(words)
      journalCutOff(reason, in: words)
      table.countClose(reason)
    case .abort:
      socket?.abort()
    }
  }

  func send(
    _ frame: Frame, as meaning: @autoclosure () -> JournalMessage,
    telling error: @autoclosure () -> GatewayError? = nil,
    _ effects: inout [SessionEffect]
  ) {
    guard let socket else { return }
    switch socket.send(frame) {
    case .sent, .queued:
      if table.journal != nil {
        frame.payload.withUnsafeBytes { journal(.out, meaning(), error(), $0, frame.kind) }
      }
      count { metrics in
        metrics.messagesSent += 1
        metrics.bytesSent += UInt64(frame.payload.count)
      }
    case .overflow:
      standing = session.handle(.slowConsumer, at: table.loop.now, into: &effects)
    case .closed:
      return
    }
  }

  private func note(_ record: SessionRecord) {
    count { $0.record(record) }
    if let traces = table.traces { traces.note(record, of: id.serial, standing.grant?.user) }
    table.sessions.note(record, of: standing.grant, id.serial)
    if case .loggedIn = record, let user = standing.grant?.user {
      loggedInAs = user
      loggedInKind = standing.grant?.kind ?? .regular
      loginNumber &+= 1
      table.logIn(user, loggedInKind, id, of: bindingNumber)
      if let journal = table.journal {
        forgetJournalUser()
        journalUser = journal.hold(user)
      }
      tellBeginning(of: user)
    }
    log(record)
    if table.journal != nil { journal(record) }
  }

  /// Writes into the journal, where there is one.
  func journal(_ event: JournalEvent) {
    table.journal?.write(event, by: id, user: journalUser, dialect: bindingNumber)
  }

  private func forgetJournalUser() {
    table.journal?.release(journalUser)
    journalUser = 0
  }

  private func count(_ add: (inout DialectMetrics) -> Void) {
    add(&table.metrics.dialects[Int(bindingNumber)])
  }

  // MARK: Verification

  private func verify(_ attempt: UInt32, _ credentials: Credentials, _ effects: inout [SessionEffect]) {
    if standing.grant == nil { journal(.loginAsked) }
    let known = admitted
    admitted = nil
    let trail = trail
    if let known, known.credentials == credentials, let verdict = known.verdict {
      return answer(attempt, verdict, trail, &effects)
    }
    trail?.beginVerification()
    let bearer = Bearer(
      connection: id, user: standing.grant?.user, upgrade: upgradeDetails, notes: session.notes,
      objection: { token in self.onLoop { $0.refusal(of: token) } })
    switch binding.judge(credentials, of: bearer, at: table.loop.wallTime) {
    case .decided(let verdict):
      answer(attempt, verdict, trail, &effects)
    case .pending(let question):
      Task.immediate(executorPreference: table.loop) {
        guard let trail else { return self.answerLate(attempt, await question(), nil) }
        let verdict = await TraceScope.$current.withValue(trail.scope) { await question() }
        self.answerLate(attempt, verdict, trail)
      }
    }
  }

  private func answer(
    _ attempt: UInt32, _ verdict: Verdict, _ trail: TraceOperation?, _ effects: inout [SessionEffect]
  ) {
    trail?.judge(verdict)
    standing = session.handle(.verified(attempt: attempt, acceptance(verdict)), at: table.loop.now, into: &effects)
  }

  private func answerLate(_ attempt: UInt32, _ verdict: Verdict, _ trail: TraceOperation?) {
    trail?.judge(verdict)
    handle(.verified(attempt: attempt, acceptance(verdict)))
  }

  private func leaveEverything(_ ending: ConnectionEnding) {
    guard let user = loggedInAs else { return }
    loggedInAs = nil
    table.logOut(user, loggedInKind, id, of: bindingNumber)
    if !watched.isEmpty {
      let calls = watched.sorted { $0.cid < $1.cid }
      watched = []
      for call in calls { table.unwatch(call, id) }
      binding.commands?.userLeft(calls, user, of: id, on: gateway)
    }
    tellEnd(of: user, ending)
  }

  private func finish() {
    guard table.connections[id.serial] != nil else { return }
    table.countEnd(of: countedPhase, of: bindingNumber)
    countExpiry()
    leaveEverything(peerCode.map(ConnectionEnding.peerClosed) ?? .lost)
    forgetJournalUser()
    table.loop.deadlines.remove(wakeup)
    conversation?.ended()
    gateway.attendant?.ended(id)
    table.traces?.forget(id.serial)
    socket = nil
    table.remove(self)
  }
}

// MARK: - What the transport tells

extension Connection: SocketHandler, WakeupTarget {
  package nonisolated func socketOpened(_ socket: any Socket) {
    onLoop { $0.opened(socket) }
  }

  package nonisolated func socketRefused(_ failure: DialFailure) {
    // The peer was gone before the 101: nothing has been counted yet.
  }

  package nonisolated var takesBytesAsText: Bool { binding.dialect.takesBytesAsText }

  package nonisolated func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    receiveOnLoop(payload, kind)
  }

  package nonisolated func socketReceivedPong() {
    // A transport answers pings even if its application is gone.
    onLoop { if $0.asksSilentPeers { $0.heard() } }
  }

  package nonisolated func socketReceivedPing() {
    onLoop { connection in
      connection.heard()
      guard connection.dialect.answersProtocolPings, connection.standing.grant != nil else { return }
      connection.handle(.received(.ping(request: nil)))
    }
  }

  package nonisolated func socketViolated(_ reason: CloseReason) {
    onLoop { $0.handle(.disconnect(reason)) }
  }

  package nonisolated func socketClosed(_ peerCode: UInt16?) {
    onLoop { connection in
      connection.peerCode = peerCode
      connection.handle(peerCode == nil ? .transportLost : .peerClosed)
    }
  }

  package nonisolated func wakeUp() {
    passDeadlineOnLoop()
  }

  private func opened(_ socket: any Socket) {
    self.socket = socket
    wakeup = Wakeup(target: self)
    table.add(self, countedPhase)
    gateway.spoken.note(dialect)
    journal(.connectionOpened())
    count { metrics in
      metrics.connectionsOpened += 1
      metrics.connectDuration.record(table.transport.now - socket.acceptedAt)
    }
    greet()
    if let trail = admitted?.trail { table.traces?.hold(trail, for: id.serial) }
    if let origin = admitted?.origin { gateway.attendant?.opened(id, from: origin) }
    if let credentials = admitted?.credentials {
      handle(.received(.credentials(credentials, request: nil)))
    } else {
      setWakeup()
    }
    // The client was admitted before the drain began, so the drain has not told it.
    if gateway.isDraining { handle(.drain(until: table.loop.now)) }
  }

  func received(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    heard()
    count { metrics in
      metrics.messagesReceived += 1
      metrics.bytesReceived += UInt64(payload.count)
    }
    if let conversation { return received(payload, kind, in: conversation) }
    if speaksJSON == nil {
      speaksJSON = Self.isJSON(payload, kind)
      if binding.hasJSONDialect { gateway.spoken.note(dialect) }
    }
    do throws(GatewayError) {
      let message = try dialect.decode(payload, kind, context)
      if table.journal != nil { journal(.in, message?.meaning ?? .idle, nil, payload, kind) }
      if let message { take(message) }
    } catch {
      if table.journal != nil { journal(.in, .malformed, error, payload, kind) }
      handle(error.isSame(as: .unsupportedData) ? .disconnect(.unsupportedData) : .malformed(error))
    }
  }
}
