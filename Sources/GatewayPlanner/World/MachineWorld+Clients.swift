internal import GatewayCore
internal import GatewayFleet

// The clients' actions, and the messages that reach them.

extension MachineWorld {
  /// Gives a client an event and performs its effects, until none is left.
  mutating func tell(_ index: Int, _ first: ClientEvent) {
    var effects: [ClientEffect] = []
    swap(&effects, &clientEffects)
    var next: ClientEvent? = first
    while let event = next {
      next = nil
      machines[index].client.handle(
        event, at: Instant(nanoseconds: now), chance: &machines[index].chance, into: &effects)
      for effect in effects {
        if let answer = perform(effect, index) { next = answer }
      }
      effects.removeAll(keepingCapacity: true)
    }
    swap(&effects, &clientEffects)
    let (settled, refreshingAgain) = machines[index].count(waves: settings.plan.waves, awaitsAll: asksAt != nil)
    if settled != 0 { ledger.settled += settled }
    if refreshingAgain != 0 { ledger.refreshingAgain += refreshingAgain }
    if places != nil { noteEnd(index) }
    if let due = machines[index].takeEarlierDeadline() { wheel.add(.clientDue, at: due, subject: worldNumber(index)) }
  }

  private mutating func perform(_ effect: ClientEffect, _ index: Int) -> ClientEvent? {
    switch effect {
    case .fetch(let number, .sessionKey):
      askForKey(index, number)
    case .fetch(let number, let purpose):
      return ask(index, number, purpose)
    case .dial:
      machines[index].connection &+= 1
      machines[index].clientEnd = .none
      machines[index].gatewayEnd = .none
      machines[index].toGateway = 0
      machines[index].toClient = 0
      if !delaysDial(index) { toGateway(index, .upgrade) }
    case .send(let message):
      guard machines[index].clientEnd == .open else { return nil }
      say(message, index)
    case .ping:
      if machines[index].clientEnd == .open, wire?.answersProtocolPings == true { toGateway(index, .pinged) }
    case .close:
      leaveGateway(index)
    case .record(let record):
      ledger.record(record, machines[index].client.behaviour, at: Instant(nanoseconds: now))
      if places != nil, case .connected(_, again: false) = record { setDeparture(index) }
    }
    return nil
  }

  /// Sends the close frame of a client that leaves.
  mutating func leaveGateway(_ index: Int) {
    guard machines[index].clientEnd == .open else { return }
    machines[index].clientEnd = .closing
    toGateway(index, .clientClosed)
  }

  private mutating func say(_ message: ClientMessage, _ index: Int) {
    switch message {
    case .connect(let token):
      guard wire?.isLoginInUpgrade != true, !settings.isAlone else { return }
      toGateway(index, .presented, value: TokenText.expiry(of: token))
    case .refresh(let token):
      if wire?.refreshesOpenConnections != false { toGateway(index, .presented, value: TokenText.expiry(of: token)) }
    case .ping: toGateway(index, .pinged)
    case .garbage, .cued: toGateway(index, .nonsense)
    }
  }

  /// Makes a connection that was delayed, if the client still wants it.
  mutating func redial(_ event: WorldEvent, _ index: Int) {
    if event.connection == machines[index].connection, machines[index].client.isDialling { toGateway(index, .upgrade) }
  }

  private mutating func toGateway(_ index: Int, _ kind: WorldEvent.Kind, value: Int64 = 0) {
    let arrival = max(now + settings.link.delay(&linkChance), machines[index].toGateway)
    machines[index].toGateway = arrival
    wheel.add(
      kind, at: arrival, subject: worldNumber(index), connection: machines[index].connection, value: value)
  }

  mutating func clientIsDue(_ index: Int, _ time: Int64) {
    // A different time means a deadline that an earlier one has replaced.
    guard machines[index].clientDue == time else { return }
    machines[index].clientDue = .max
    tell(index, .wakeUp)
  }

  mutating func arriveAtClient(_ event: WorldEvent, _ index: Int) {
    if event.kind == .opened {
      machines[index].clientEnd = .open
      return tell(index, .opened)
    }
    if event.kind == .gatewayClosed {
      guard machines[index].clientEnd != .none else { return }
      if machines[index].clientEnd == .open, event.value >= 0 { toGateway(index, .clientClosed) }
      machines[index].clientEnd = .none
      return tell(index, .closed(event.value < 0 ? nil : UInt16(truncatingIfNeeded: event.value)))
    }
    guard machines[index].clientEnd == .open, let notice = notice(of: event) else { return }
    if case .refreshRequired(let timeout?, _) = notice { ledger.announced(timeout) }
    tell(index, .heard(notice))
  }

  /// Ends the storm for this client: counts its unfinished work; nothing more happens to it.
  mutating func stop(_ index: Int) {
    var effects: [ClientEffect] = []
    machines[index].client.handle(
      .stop, at: Instant(nanoseconds: now), chance: &machines[index].chance, into: &effects)
    for case .record(let record) in effects {
      ledger.record(record, machines[index].client.behaviour, at: Instant(nanoseconds: now))
    }
  }
}
