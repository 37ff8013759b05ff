internal import GatewayCore
internal import GatewayRuntime

/// One client of the fleet: an actor on its loop that performs the effects of its ``ClientSession``.
actor StormClient {
  nonisolated let index: Int
  nonisolated let behaviour: Behaviour
  nonisolated let fleet: LoopFleet
  var session: ClientSession
  var generator: SeededGenerator
  private var socket: (any Socket)?
  private var wakeup: Wakeup?
  /// The text of the gateway's close frame.
  private var goodbye: String?
  /// Whether the ledger counts it as settled.
  private var isSettled = false
  /// Whether the ledger counts it as one that is at a further refresh and not settled.
  private var isRefreshingAgain = false
  /// The number of messages that it has sent, and whether its user is registered with the provider.
  private var messages: UInt32 = 0
  var isRegistered = false
  /// The dialect's memory of the connection, if it has one.
  var memory: ClientMemory?
  /// The endpoint's memory between requests for tokens, if a described endpoint gives them.
  var tokenMemory: TokenMemory?
  /// Whether such a request is pending, and the request that waits for its end, since there is one at a time.
  var isAskingEndpoint = false
  var joined: FetchTicket?
  /// Its place in a fleet whose clients come and go; nil for a fleet that stays.
  private let place: Int?
  /// When its stay is over; nil before its first login, or if it stays to the end.
  private var departsAt: Instant?
  /// Whether it has left, or ended by itself.
  private var isGone = false
  /// The refresh token that it shares with the other tabs of its device, and the requests with which its own wait; nil
  /// until a described endpoint is asked.
  var ownDevice: DeviceGrant?
  var ownFlight: TokenFlight?
  /// Whether a budget has refused it a token.
  var wasRefusedByBudget = false
  /// The source of its latest token's end; nil if it has no token.
  var endSource: EndSource?

  nonisolated var unownedExecutor: UnownedSerialExecutor { fleet.loop.asUnownedSerialExecutor() }

  /// Creates client number `index` of the whole storm. It has its own random generator, so that its behaviour depends
  /// only on the seed and on its own events.
  init(index: Int, behaviour: Behaviour, fleet: LoopFleet, place: Int? = nil) {
    self.index = index
    self.place = place
    self.behaviour = behaviour
    self.fleet = fleet
    session = ClientSession(behaviour, policy: fleet.sharedPolicy)
    generator = fleet.setup.plan.chance(of: index)
  }

  // MARK: Events

  /// Handles an event and the events that follow from it at once.
  ///
  /// - Parameters:
  ///   - first: The event.
  ///   - due: The time at which it should have happened, if a late loop handles it later; nil for now.
  func handle(_ first: ClientEvent, due: Instant? = nil) {
    var effects: [ClientEffect] = []
    swap(&effects, &fleet.scratch)
    let now = fleet.loop.now
    let time = min(now, due ?? now)
    fleet.ledger.reach(now)
    var next: ClientEvent? = first
    while let event = next {
      next = nil
      session.handle(event, at: time, chance: &generator, into: &effects)
      for effect in effects {
        if let answer = perform(effect, at: now, due: time) { next = answer }
      }
      effects.removeAll(keepingCapacity: true)
    }
    swap(&effects, &fleet.scratch)
    noteSettled()
    if let place, !isGone, session.phase == .ended { end(at: place) }
    setWakeup()
  }

  /// Frees the place of a client that has ended.
  private func end(at place: Int) {
    isGone = true
    departsAt = nil
    fleet.gone(self, from: place)
  }

  /// Ends the client because its stay is over.
  private func depart(from place: Int) {
    let now = fleet.loop.now
    end(at: place)
    var effects: [ClientEffect] = []
    let wasConnected = session.leave(into: &effects)
    for effect in effects { _ = perform(effect, at: now, due: now) }
    if !isForger { fleet.ledger.departed(wasConnected: wasConnected, at: now) }
    setWakeup()
  }

  /// Performs one effect; returns the event that follows at once, if any.
  private func perform(_ effect: ClientEffect, at now: Instant, due: Instant) -> ClientEvent? {
    switch effect {
    case .fetch(let number, let purpose):
      if purpose == .sessionKey, fleet.policy.habits.refresh.how == .http {
        return renewOverHTTP(number)
      }
      if case .minted(let issuer) = fleet.setup.tokens, purpose != .sessionKey {
        let answer = mint(issuer, purpose)
        take(answer)
        return .fetched(number: number, answer)
      }
      let ticket = FetchTicket(client: self, number: number, purpose: purpose, wantedAt: due)
      if let ownFlight, ownFlight.isPending, purpose != .sessionKey {
        ownFlight.join(ticket)
      } else {
        fleet.queue.request(ticket)
      }
    case .dial:
      let target = fleet.setup.gateway(of: index)
      if memory == nil { memory = fleet.setup.dialect.memory(of: identity) }
      memory?.restart()
      if let request = fleet.setup.dialect.ahead(of: identity, memory) {
        ask(request, aheadOf: target)
      } else {
        dial(target)
      }
    case .send(let message):
      for frame in fleet.setup.dialect.frames(message, of: identity, memory) {
        messages &+= 1
        // A message for a closed socket is dropped: the end is reported shortly.
        _ = socket?.send(frame)
      }
    case .ping:
      socket?.ping()
    case .close:
      socket?.close(.normal)
    case .record(let record):
      guard !isTried(record) else { return nil }
      fleet.ledger.record(record, behaviour, at: now)
      fleet.traces?.note(record, of: index)
      guard case .connected(_, let again) = record else { break }
      if endSource == .unknown { fleet.ledger.loggedInWithoutEnd() }
      if place != nil, !again { departsAt = fleet.setup.plan.stay(of: index).map { now + $0 } }
    }
    return nil
  }

  private func noteSettled() {
    let setup = fleet.setup
    let isSettledNow = isThrough
    let isAgain = !isSettledNow && !setup.awaitsAll && session.isAtFurtherRefresh(waves: setup.plan.waves)
    if isSettled != isSettledNow {
      isSettled.toggle()
      fleet.ledger.settled += isSettled ? 1 : -1
    }
    if isRefreshingAgain != isAgain {
      isRefreshingAgain.toggle()
      fleet.ledger.refreshingAgain += isAgain ? 1 : -1
    }
  }

  private func setWakeup() {
    var deadline = session.nextDeadline
    if let departsAt { deadline = deadline.map { min($0, departsAt) } ?? departsAt }
    if wakeup == nil && deadline == nil { return }
    let wakeup = self.wakeup ?? Wakeup(target: self)
    self.wakeup = wakeup
    fleet.loop.deadlines.set(wakeup, at: deadline)
  }

  private func opened(_ socket: any Socket) {
    self.socket = socket
    handle(.opened)
  }

  private func closed(_ code: UInt16?) {
    socket = nil
    let text = goodbye
    goodbye = nil
    if !session.isLeaving { fleet.setup.dialect.heardEnd(code, text, of: { identity }) }
    handle(.closed(code, text: text))
  }

  /// Keeps the text of a close frame for the end that follows. A gateway may repeat the token in it, so the token is
  /// masked.
  private func heardGoodbye(_ text: String) {
    guard fleet.policy.habits.comeback?.ends != nil else { return }
    goodbye = session.token.map { $0.token.isEmpty ? text : text.replacing(bytesOf: $0.token, with: "token") } ?? text
  }

  private func wake() {
    if let place, let departsAt, departsAt <= fleet.loop.now { return depart(from: place) }
    handle(.wakeUp, due: session.nextDeadline)
  }

  /// The client's current identity.
  var identity: ClientIdentity {
    ClientIdentity(
      user: user(for: .login), token: session.token, key: session.key, connection: session.connection,
      greeting: session.greeting, number: UInt64(fleet.setup.plan.number(of: index)), message: messages,
      now: fleet.loop.wallTime)
  }

  private func received(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    fleet.setup.dialect.hear(payload, kind, by: { (session.wirePhase, identity) }, memory) { notice in
      guard let notice else { return session.heardSomething(at: fleet.loop.now) }
      if case .refreshRequired(let timeout?, _) = notice { fleet.ledger.announced(timeout) }
      if case .tokenLife = notice { endSource = .gateway }
      if case .pushed(let token) = notice { note(pushed: token) }
      handle(.heard(notice))
    }
  }

  private func heardControlFrame() {
    if fleet.policy.habits.keepAlive?.controlFramesCount == true { session.heardSomething(at: fleet.loop.now) }
  }
}

// MARK: - Calls of the fleet, only on the loop

extension StormClient {
  /// Starts the client.
  ///
  /// - Parameter due: The time at which it should start.
  nonisolated func begin(due: Instant) { assumeIsolated { $0.handle(.start, due: due) } }

  nonisolated func stop() { assumeIsolated { $0.handle(.stop) } }

  /// Starts a request that has reached its turn in the queue for the provider.
  nonisolated func fetch(_ ticket: FetchTicket) { assumeIsolated { $0.ask(ticket) } }

  /// Returns whether the client still needs the answer to that request.
  nonisolated func wants(_ ticket: FetchTicket) -> Bool {
    assumeIsolated { $0.session.isWaiting(forFetch: ticket.number) }
  }

  nonisolated func outcome(waves: Int) -> ClientSession.Outcome {
    assumeIsolated { $0.session.outcome(waves: waves) }
  }

  /// The source of its token's end; nil if it never logged in.
  nonisolated var endToldBy: EndSource? {
    assumeIsolated { $0.session.logins > 0 ? $0.endSource : nil }
  }

  /// Whether its device is signed out permanently.
  nonisolated var isSignedOut: Bool { assumeIsolated { $0.ownDevice?.jar.isSignedOut ?? false } }

  nonisolated var current: ClientSession { assumeIsolated { $0.session } }

  nonisolated var isOver: Bool {
    assumeIsolated { $0.session.phase == .ended }
  }
}

// MARK: - Events of the transport

extension StormClient: SocketHandler, WakeupTarget {
  nonisolated func socketOpened(_ socket: any Socket) { assumeIsolated { $0.opened(socket) } }

  nonisolated func socketRefused(_ failure: DialFailure) { assumeIsolated { $0.refused(failure) } }

  nonisolated func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    // The bytes belong to the caller and are not kept.
    nonisolated(unsafe) let payload = payload
    assumeIsolated { $0.received(payload, kind) }
  }

  nonisolated func socketReceivedPong() { assumeIsolated { $0.heardControlFrame() } }

  nonisolated func socketReceivedPing() { assumeIsolated { $0.heardControlFrame() } }

  nonisolated func socketViolated(_ reason: CloseReason) {
    assumeIsolated { $0.handle(.heard(.error(number: Int(reason.code), name: reason.name))) }
  }

  nonisolated func socketHeardGoodbye(_ text: String) { assumeIsolated { $0.heardGoodbye(text) } }

  nonisolated func socketClosed(_ peerCode: UInt16?) { assumeIsolated { $0.closed(peerCode) } }

  nonisolated func wakeUp() { assumeIsolated { $0.wake() } }
}
