package import GatewayCore

// The order of a client's messages: a command waits for the answer to the one before.

extension Connection {
  /// The executor that a task prefers which runs at the vendor's home.
  var home: any TaskExecutor { binding.home?.executor ?? table.loop }

  /// Hands a message to the session, now or when its turn has come.
  func take(_ message: InboundMessage) {
    guard let lane, lane.holds(message) else { return handle(.received(message)) }
    guard lane.count < table.configuration.commandsPerConnectionMax else {
      var effects: [SessionEffect] = []
      refuseCommand(message.request, &effects)
      return performAll(&effects)
    }
    lane.add(.message(message))
  }

  /// Does what an authenticated user asks for, now or when its turn has come.
  func perform(
    _ command: Command, _ user: UserID, _ request: RequestID?, _ effects: inout [SessionEffect]
  ) {
    guard let handler = binding.commands else { return reply(.error(.unknownType, request: request), &effects) }
    let caller = Caller(user: user, kind: loggedInKind, connection: id, notes: session.notes)
    let isBusy = lane?.isBusy ?? false
    // Most commands of most dialects are done at once, and nothing of theirs ever waits.
    if !isBusy, handler.performAtOnce(command, by: caller, at: self, request: request, on: gateway) { return }
    let lane = lane ?? CommandLane()
    self.lane = lane
    guard lane.count < table.configuration.commandsPerConnectionMax else { return refuseCommand(request, &effects) }
    let queued = CommandLane.QueuedCommand(command: command, caller: caller, request: request, login: loginNumber)
    if isBusy { lane.add(.command(queued)) } else { start(queued, by: handler, in: lane) }
  }

  /// Tells who wants to know that the user is here, before anything is done that the user says.
  func tellBeginning(of user: UserID) {
    if binding.observer?.hearsBeginnings == true { tellObserver(of: user, nil) }
  }

  /// Tells observers that the user has gone, after the user's earlier commands have run.
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

  /// Performs waiting entries until one has to be awaited.
  private func moveOn(_ lane: CommandLane) {
    guard !lane.isMoving else { return }
    lane.isMoving = true
    while let entry = lane.next() {
      switch entry {
      case .command(let queued): startLate(queued, in: lane)
      case .message(let message): handle(.received(message))
      case .login(let caller, let ending): tellObserver(caller, ending, in: lane)
      }
    }
    lane.isMoving = false
  }

  /// Does what has waited for its turn.
  private func startLate(_ queued: CommandLane.QueuedCommand, in lane: CommandLane) {
    guard let handler = binding.commands else { return }
    // A command of a login that has ended is not performed: a client that is gone is in no call.
    if isCurrent(queued.login),
      handler.performAtOnce(
        queued.command, by: queued.caller, at: self, request: queued.request, on: gateway)
    {
      return
    }
    start(queued, by: handler, in: lane)
  }

  private func start(_ queued: CommandLane.QueuedCommand, by handler: any CommandHandler, in lane: CommandLane) {
    lane.begin(mayOverlap: queued.command.mayOverlap, of: queued.login)
    Task.immediate(executorPreference: home) {
      let gateway = self.gateway
      let answers: [Frame]
      if let home = self.binding.home {
        answers = await home.run {
          await handler.perform(queued.command, by: queued.caller, request: queued.request, on: gateway)
        }
      } else {
        answers = await handler.perform(queued.command, by: queued.caller, request: queued.request, on: gateway)
      }
      // The answer goes at the position of the command's own announcements to others.
      if let nodes = gateway.nodes { await nodes.bus.settle() }
      self.finish(queued, answers, in: lane)
    }
  }

  /// Answers, unless the login that asked has ended. After the answer come the announcements that followed the
  /// command's own.
  private func finish(_ queued: CommandLane.QueuedCommand, _ answers: [Frame], in lane: CommandLane) {
    let later = queued.command.mayOverlap ? [] : lane.letGo()
    if isCurrent(queued.login) {
      for answer in answers + later { deliver(answer) }
    }
    lane.end(mayOverlap: queued.command.mayOverlap)
    moveOn(lane)
  }

  /// Says how the login ended, or that it begins where `ending` is nil.
  private func tellObserver(_ caller: Caller, _ ending: ConnectionEnding?, in lane: CommandLane) {
    lane.begin(mayOverlap: false)
    guard ending == nil else { return tell(caller, ending, in: lane) }
    // Not at once: what the observer does may come back to this connection, which is just logging in.
    table.loop.execute { [self] in
      onLoop { connection in
        if let lane = connection.lane { connection.tell(caller, nil, in: lane) }
      }
    }
  }

  private func tell(_ caller: Caller, _ ending: ConnectionEnding?, in lane: CommandLane) {
    guard let observer = binding.observer else { return }
    Task.immediate(executorPreference: home) {
      let gateway = self.gateway
      if let home = self.binding.home {
        await home.run { await observer.tell(caller, ending, on: gateway) }
      } else {
        await observer.tell(caller, ending, on: gateway)
      }
      lane.end(mayOverlap: false)
      self.moveOn(lane)
    }
  }

  private func isCurrent(_ login: UInt32) -> Bool {
    loggedInAs != nil && login == loginNumber
  }
}

extension Connection: Speaker {
  package nonisolated func watches(_ call: CallID) -> Bool { onLoop { $0.watched.contains(call) } }

  package nonisolated func answer(_ frame: Frame) { deliver(frame) }

  package nonisolated func refuse(_ error: GatewayError, _ request: RequestID?) {
    onLoop { connection in
      var effects: [SessionEffect] = []
      connection.reply(.error(error, request: request), &effects)
      connection.performAll(&effects)
    }
  }
}

extension InboundMessage {
  /// The name the client gave it.
  fileprivate var request: RequestID? {
    switch self {
    case .credentials(_, let request), .command(_, let request), .logout(let request), .ping(let request): request
    }
  }
}

extension ConnectionObserver {
  /// Tells how the login ended, or that it begins where `ending` is nil.
  fileprivate func tell(_ caller: Caller, _ ending: ConnectionEnding?, on services: any GatewayServices) async {
    if let ending {
      await connectionEnded(caller, ending, on: services)
    } else {
      await connectionBegan(caller, on: services)
    }
  }
}
