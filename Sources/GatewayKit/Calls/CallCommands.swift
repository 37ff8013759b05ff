package import GatewayCore
internal import Synchronization

/// The `CommandHandler` of calls, for a wire format that has them: whoever joins `default:standup`, for instance, hears
/// what the members are told, until they leave or go. All of it is done at once, on the speaker's loop.
///
/// Of a crowd nobody is told who joins: 10,000 clients that join one call would be told 50 million times. Its members hear
/// once a second how many they are, while that changes.
package final class CallCommands: CommandHandler {
  /// How often a crowd is counted.
  package static let countInterval = Duration.seconds(1)

  private let dialect: any CallDialect
  private let crowdMin: Int
  private let executor: any (SerialExecutor & TaskExecutor)
  /// The crowds that are about to be counted.
  private let counted = Mutex<Set<CallID>>([])

  /// - Parameters:
  ///   - dialect: Whose clients it serves.
  ///   - executor: Where crowds are counted: a loop of the gateway.
  ///   - crowdMin: A call is a crowd while more than so many connections of one loop are in it.
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

  /// Why it is not done; nil if it is.
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

  /// Nothing that must be waited for is left.
  package nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] { [] }

  package func userLeft(_ calls: [CallID], _ user: UserID, on services: any GatewayServices) {
    for call in calls { tell(CallEvent(call: call, user: user, kind: .memberLeft), on: services) }
  }

  /// Tells the members who came or went; a crowd how many they are, soon.
  private func tell(_ event: CallEvent, except speaker: ConnectionID? = nil, on services: any GatewayServices) {
    if services.hearersHere(of: event.call) <= crowdMin { return services.announce(event, except: speaker) }
    guard counted.withLock({ $0.insert(event.call).inserted }) else { return }
    Task.immediate(executorPreference: executor) {
      await services.sleep(for: Self.countInterval, as: "the count of a crowd")
      // Who comes from now on is counted once more.
      _ = self.counted.withLock { $0.remove(event.call) }
      let members = await services.hearers(of: event.call)
      services.announce(CallEvent(call: event.call, user: event.user, kind: .crowdChanged(members: members)))
    }
  }
}
