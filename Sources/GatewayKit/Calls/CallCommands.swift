package import GatewayCore
internal import Synchronization

/// The `CommandHandler` of calls, for a wire format that has them. A client that joins `default:standup` receives its
/// events until it leaves the call or disconnects. All commands are done at once, on the loop of the client's
/// connection.
///
/// A crowd's members are not told who joins: if 10,000 clients join one call, that would be 50 million messages.
/// Instead they receive the number of members once a second while it changes.
package final class CallCommands: CommandHandler {
  /// The interval at which the members of a crowd are counted.
  package static let countInterval = Duration.seconds(1)

  private let dialect: any CallDialect
  private let crowdMin: Int
  private let executor: any (SerialExecutor & TaskExecutor)
  /// The crowds for which a count is scheduled.
  private let counted = Mutex<Set<CallID>>([])

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - dialect: The wire format of the clients.
  ///   - executor: A loop of the gateway, on which crowds are counted.
  ///   - crowdMin: A call is a crowd while more than this many connections of one loop are in it.
  package init(_ dialect: any CallDialect, on executor: any (SerialExecutor & TaskExecutor), crowdMin: Int = 250) {
    self.dialect = dialect
    self.crowdMin = crowdMin
    self.executor = executor
  }

  package func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool {
    guard let order = command.baggage.unpacked(CallCommand.self) else { return false }
    if let error = perform(order, by: caller.user, at: speaker, on: services) {
      speaker.refuse(error, request)
    } else if let answer = dialect.answer(to: order, request: request) {
      speaker.answer(answer)
    }
    return true
  }

  /// Performs the command. Returns the error if it cannot be done, else nil.
  private func perform(
    _ order: CallCommand, by user: UserID, at speaker: any Speaker, on services: any GatewayServices
  ) -> GatewayError? {
    switch order {
    case .join(let call):
      if speaker.watches(call) { return nil }
      guard speaker.watch(call) else { return .tooMany.detailed("calls of one connection") }
      tell(CallEvent(call: call, user: user, kind: .memberJoined), except: speaker.id, on: services)
    case .leave(let call):
      guard speaker.watches(call) else { return .notAMember }
      speaker.unwatch(call)
      tell(CallEvent(call: call, user: user, kind: .memberLeft), on: services)
    case .publish(let call, let content):
      guard speaker.watches(call) else { return .notAMember }
      services.announce(CallEvent(call: call, user: user, kind: .message(content: content)))
    }
    return nil
  }

  /// Returns no frames: every command is done in `performAtOnce`.
  package nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] { [] }

  package func userLeft(
    _ calls: [CallID], _ user: UserID, of connection: ConnectionID, on services: any GatewayServices
  ) {
    for call in calls { tell(CallEvent(call: call, user: user, kind: .memberLeft), on: services) }
  }

  /// Sends the event to the call's members. If the call is a crowd, schedules a count instead.
  private func tell(_ event: CallEvent, except speaker: ConnectionID? = nil, on services: any GatewayServices) {
    if services.hearersHere(of: event.call) <= crowdMin { return services.announce(event, except: speaker) }
    guard counted.withLock({ $0.insert(event.call).inserted }) else { return }
    Task.immediate(executorPreference: executor) {
      await services.sleep(for: Self.countInterval, as: "the count of a crowd")
      // A member that joins or leaves from now on causes another count.
      _ = self.counted.withLock { $0.remove(event.call) }
      let members = await services.hearers(of: event.call)
      services.announce(CallEvent(call: event.call, user: event.user, kind: .crowdChanged(members: members)))
    }
  }
}
