internal import GatewayCore

// What a client says, in the order in which it said it: a command waits for the answer of the one before.

extension Connection {
  /// Hands a message to the session, now or when its turn has come.
  func take(_ message: InboundMessage) {
    guard let lane, lane.holds(message) else { return handle(.received(message)) }
    guard lane.count < table.configuration.operationsPerConnectionMax else {
      var effects: [SessionEffect] = []
      refuseCommand(message.request, &effects)
      return performAll(&effects, from: session.phaseKind)
    }
    lane.add(.message(message))
  }

  /// Does what an authenticated user asks for, now or when its turn has come.
  func perform(
    _ operation: Operation, _ user: UserID, _ request: RequestID?, _ effects: inout [SessionEffect]
  ) {
    if operation.isDialects, binding.operations == nil {
      return reply(.error(.unknownType, request: request), &effects)
    }
    // Most commands of most dialects are done at once, and nothing of theirs ever waits.
    if !operation.isDialects, lane?.isBusy != true { return performOwn(operation, user, request, &effects) }
    let lane = lane ?? CommandLane()
    self.lane = lane
    guard lane.count < table.configuration.operationsPerConnectionMax else { return refuseCommand(request, &effects) }
    let caller = Caller(user: user, kind: loggedInKind, connection: id, notes: session.notes)
    let command = CommandLane.Command(operation: operation, caller: caller, request: request, login: login)
    if lane.isBusy { lane.add(.command(command)) } else { start(command, in: lane) }
  }

  /// Tells who wants to know that the user is here, before anything is done that the user says.
  func tellBeginning(of user: UserID) {
    if binding.observer?.hearsBeginnings == true { tellObserver(of: user, nil) }
  }

  /// Tells who wants to know that the user has gone, when what the user said before has been done.
  func tellEnd(of user: UserID, _ ending: ConnectionEnding) {
    tellObserver(of: user, ending)
  }

  private func tellObserver(of user: UserID, _ ending: ConnectionEnding?) {
    guard binding.observer != nil else { return }
    let caller = Caller(user: user, kind: loggedInKind, connection: id, notes: session.notes)
    let lane = lane ?? CommandLane()
    self.lane = lane
    if lane.isBusy { lane.add(.login(caller, ending)) } else { tellObserver(caller, ending, in: lane) }
  }

  private func refuseCommand(_ request: RequestID?, _ effects: inout [SessionEffect]) {
    reply(.error(.tooMany.detailed("operations under way"), request: request), &effects)
  }

  private func reply(_ message: OutboundMessage, _ effects: inout [SessionEffect]) {
    effects.append(.send(message))
  }

  // MARK: Turns

  /// Takes those that wait, until one must be waited for.
  private func moveOn(_ lane: CommandLane) {
    guard !lane.isMoving else { return }
    lane.isMoving = true
    while let entry = lane.next() {
      switch entry {
      case .command(let command): start(command, in: lane)
      case .message(let message): handle(.received(message))
      case .login(let caller, let ending): tellObserver(caller, ending, in: lane)
      }
    }
    lane.isMoving = false
  }

  private func start(_ command: CommandLane.Command, in lane: CommandLane) {
    guard case .other(let operation) = command.operation, let handler = binding.operations else {
      return performLate(command)
    }
    lane.begin(mayOverlap: operation.mayOverlap)
    Task.immediate(executorPreference: table.loop) {
      let answers = await handler.perform(operation, by: command.caller, request: command.request, on: self.gateway)
      self.finish(command, operation, answers, in: lane)
    }
  }

  /// Answers, unless the login that asked is over.
  private func finish(
    _ command: CommandLane.Command, _ operation: DialectOperation, _ answers: [Frame], in lane: CommandLane
  ) {
    if isCurrent(command.login) {
      for answer in answers { deliver(answer) }
    }
    lane.end(mayOverlap: operation.mayOverlap)
    moveOn(lane)
  }

  /// - Parameter ending: How the login ended; nil if it begins.
  private func tellObserver(_ caller: Caller, _ ending: ConnectionEnding?, in lane: CommandLane) {
    lane.begin(mayOverlap: false)
    guard ending == nil else { return tell(caller, ending, in: lane) }
    // Not at once: what the observer does may come back to this connection, which is just logging in.
    table.loop.execute { [self] in
      assumeIsolated { connection in
        if let lane = connection.lane { connection.tell(caller, nil, in: lane) }
      }
    }
  }

  private func tell(_ caller: Caller, _ ending: ConnectionEnding?, in lane: CommandLane) {
    guard let observer = binding.observer else { return }
    Task.immediate(executorPreference: table.loop) {
      if let ending {
        await observer.connectionEnded(caller, ending, on: self.gateway)
      } else {
        await observer.connectionBegan(caller, on: self.gateway)
      }
      lane.end(mayOverlap: false)
      self.moveOn(lane)
    }
  }

  private func isCurrent(_ login: UInt32) -> Bool {
    loggedInAs != nil && login == self.login
  }

  // MARK: Calls

  /// Does a command of the gateway's own that had to wait. Nobody who has gone is in a call.
  private func performLate(_ command: CommandLane.Command) {
    guard isCurrent(command.login) else { return }
    var effects: [SessionEffect] = []
    performOwn(command.operation, command.caller.user, command.request, &effects)
    performAll(&effects, from: session.phaseKind)
  }

  private func performOwn(
    _ operation: Operation, _ user: UserID, _ request: RequestID?, _ effects: inout [SessionEffect]
  ) {
    switch operation {
    case .join(let call):
      guard joined.contains(call) || joined.count < table.configuration.callsPerConnectionMax else {
        return reply(.error(.tooMany.detailed("calls of one connection"), request: request), &effects)
      }
      if joined.insert(call).inserted {
        gateway.announce(CallEvent(call: call, user: user, kind: .memberJoined))
        _ = table.join(call, id)
      }
      reply(.joined(call, request: request), &effects)
    case .leave(let call):
      guard joined.remove(call) != nil else { return reply(.error(.notAMember, request: request), &effects) }
      if !watched.contains(call) { table.leave(call, id) }
      gateway.announce(CallEvent(call: call, user: user, kind: .memberLeft))
      reply(.left(call, request: request), &effects)
    case .publish(let call, let content):
      guard joined.contains(call) else { return reply(.error(.notAMember, request: request), &effects) }
      gateway.announce(CallEvent(call: call, user: user, kind: .message(content: content)))
      reply(.published(call, request: request), &effects)
    case .other:
      preconditionFailure("the dialect's own commands are its handler's")
    }
  }
}

extension Operation {
  /// Whether only the dialect's handler knows what it is.
  fileprivate var isDialects: Bool {
    if case .other = self { true } else { false }
  }
}

extension InboundMessage {
  /// The name the client gave it.
  fileprivate var request: RequestID? {
    switch self {
    case .credentials(_, let request), .operation(_, let request), .logout(let request), .ping(let request): request
    }
  }
}
