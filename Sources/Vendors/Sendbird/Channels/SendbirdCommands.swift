internal import GatewayCore
internal import GatewayJSON

/// The `CommandHandler` of channels and messages.
///
/// A command without `req_id` is performed but never answered: the strictest client logs out on an `EROR` that it did
/// not request.
struct SendbirdCommands: CommandHandler {
  let directory: SendbirdDirectory
  let channels: SendbirdChannels
  let events: SendbirdChannelEvents
  private let rates: SendbirdRates?

  init(
    directory: SendbirdDirectory, channels: SendbirdChannels, rates: SendbirdRates? = nil
  ) {
    self.directory = directory
    self.channels = channels
    self.rates = rates
    events = SendbirdChannelEvents(directory: directory, channels: channels)
  }

  /// A command in progress.
  struct RunningCommand: Sendable {
    let name: String
    let body: SendbirdParameters
    let channelURL: Name
    let caller: Caller
    let request: RequestID?
    let services: any GatewayServices
  }

  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    do throws(SendbirdError) {
      // A command that could only be parsed far enough to refuse it.
      if let refusal = command.baggage.unpacked(SendbirdError.self) { throw refusal }
      guard let command = command.baggage.unpacked(SendbirdCommand.self) else { throw .noEndpoint }
      try await rates?.take(SendbirdRates.Kind(command: command.name), caller.user, at: services.wallTime)
      let body = try command.body.get()
      guard let url = try body.name("channel_url", max: SendbirdLimits.channelURL) else {
        throw .missing("channel_url")
      }
      let running = RunningCommand(
        name: command.name, body: body, channelURL: url, caller: caller, request: request, services: services)
      return try await perform(running)
    } catch {
      return request.map { [SendbirdFrame.error(error, $0, at: services.wallTime)] } ?? []
    }
  }

  /// Performs the command, and returns the answers in order.
  private func perform(_ running: RunningCommand) async throws(SendbirdError) -> [Frame] {
    switch running.name {
    case "MESG": try await send(.text, "MESG", running)
    case "FILE": try await send(.file, "FILE", running)
    case "MEDI": try await edit("MEDI", running)
    case "FEDI": try await edit("FEDI", running)
    case "READ": try await read(running)
    case "ENTR": try await enter(running)
    case "EXIT": try await exit(running)
    case "TPST": try await type(.typingStarted, running)
    case "TPEN": try await type(.typingEnded, running)
    // Delivery acknowledgements are not used.
    case "MACK": []
    case "VOTE": try await vote(running)
    default: throw .noEndpoint
    }
  }

  /// Returns the directory's answer, its refusals as socket errors.
  func ask<Answer>(
    _ question: nonisolated(nonsending) () async throws(SendbirdChannelRefusal) -> Answer
  ) async throws(SendbirdError) -> Answer {
    do throws(SendbirdChannelRefusal) {
      return try await question()
    } catch {
      throw SendbirdError(command: error)
    }
  }

  /// Returns the sender, who must be allowed to make changes.
  private func writer(_ running: RunningCommand) async throws(SendbirdError) -> SendbirdUser {
    guard running.caller.kind != .guest else { throw .guestNotAllowed }
    let user = try await directory.find(running.caller.user, at: running.services.wallTime)
    guard let user, user.isActive else { throw .senderDeactivated }
    return user
  }

  // MARK: Messages

  private func send(
    _ kind: SendbirdMessage.Kind, _ name: StaticString, _ running: RunningCommand
  ) async throws(SendbirdError) -> [Frame] {
    guard running.caller.kind != .guest else { throw .guestNotAllowed }
    let draft = try SendbirdMessageDraft(kind, running.body)
    let now = running.services.wallTime
    // The rest of the sender is read with what decides whether they may send.
    let sender = SendbirdUser(running.caller.user, createdAt: now)
    let message = draft.message(in: running.channelURL, by: sender, at: now)
    let delivery = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.send(message, asking: draft.poll, needsPresence: true, readsSender: true, at: now) {
        await events.sent(name, $0, except: running.caller.connection, on: running.services)
      }
    }
    if draft.isPinned {
      _ = try await ask { () throws(SendbirdChannelRefusal) in
        try await channels.setPinned(true, delivery.message.id, in: running.channelURL, at: now) {
          await events.pinned($0, on: running.services)
        }
      }
    }
    return events.answer(name, delivery, to: running.caller.user, running.request, at: running.services.wallTime)
  }

  private func edit(_ name: StaticString, _ running: RunningCommand) async throws(SendbirdError) -> [Frame] {
    _ = try await writer(running)
    guard let id = try running.body.integer("msg_id") else { throw .missing("msg_id") }
    let change = try SendbirdMessageChange(running.body)
    let now = running.services.wallTime
    let delivery = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.edit(
        id, in: running.channelURL, by: running.caller.user, at: now,
        telling: { await events.changed(name, $0, except: running.caller.connection, on: running.services) }
      ) { change.apply(to: &$0, at: now) }
    }
    return running.request.map { [SendbirdChannelEvents.frame(name, delivery, $0)] } ?? []
  }

  /// Votes in a poll of the channel; the answer is the event that all receive.
  private func vote(_ running: RunningCommand) async throws(SendbirdError) -> [Frame] {
    _ = try await writer(running)
    let (user, now) = (running.caller.user, running.services.wallTime)
    guard let id = try running.body.integer("poll_id") else { throw .missing("poll_id") }
    let chosen = try running.body.optionIDs()
    var answer: [Frame] = []
    _ = try await ask { () throws(SendbirdChannelRefusal) in
      let poll = try await channels.poll(id, at: now)
      guard poll.channel == running.channelURL else { throw .pollNotFound }
      guard let channel = try await channels.outline(running.channelURL, at: now),
        channel.kind == .open || channel.joined.contains(user)
      else { throw .notAMember }
      _ = try await channels.changePoll(
        id, at: now,
        telling: { poll, delivery in
          await events.voted(poll, delivery, except: running.caller.connection, on: running.services)
          guard let request = running.request else { return }
          answer = [
            SendbirdFrame.command("VOTE", request, capacity: 512) {
              SendbirdPollObject.writeVote(poll, delivery, at: now, to: &$0)
            }
          ]
        }
      ) { (poll) throws(SendbirdChannelRefusal) in try poll.vote(chosen, by: user, at: now) }
    }
    // The vote counts, but the poll's message was displaced.
    guard !answer.isEmpty || running.request == nil else { throw .messageNotFound }
    return answer
  }

  private func read(_ running: RunningCommand) async throws(SendbirdError) -> [Frame] {
    let user = running.caller.user
    let now = running.services.wallTime
    let reader = SendbirdMessage.Sender(await events.who([user], at: now)[user] ?? SendbirdUser(user, createdAt: now))
    let (channel, unread) = try await ask { () throws(SendbirdChannelRefusal) in
      let channel = try await channels.markRead(running.channelURL, user: user, at: now) {
        await events.read($0, by: reader, at: now, except: running.caller.connection, on: running.services)
      }
      return (channel, try await channels.unread(user, at: now))
    }
    guard let request = running.request else { return [] }
    let answer = SendbirdFrame.command("READ", request, capacity: 400) { json in
      SendbirdChannelEvents.writeRead(channel, by: reader, at: now, to: &json)
    }
    return [answer.adding(unread, at: now)]
  }

  /// Announces that a member of a group channel has begun or stopped typing; there is no answer.
  private func type(
    _ category: SendbirdChannelEvents.Category, _ running: RunningCommand
  ) async throws(SendbirdError) -> [Frame] {
    let (user, now) = (running.caller.user, running.services.wallTime)
    let channel = try await ask { () throws(SendbirdChannelRefusal) in
      try await channels.listening(running.channelURL, at: now) { channel in
        guard running.caller.kind != .guest, channel.kind == .group, channel.joined.contains(user) else { return }
        await events.event(
          category, of: user, in: channel, to: channel.joined.subtracting([user]), on: running.services)
      }
    }
    guard channel.kind == .group else { throw .wrongChannelType }
    guard channel.joined.contains(user) else { throw .notAMember }
    guard running.caller.kind != .guest else { throw .guestNotAllowed }
    return []
  }
}
