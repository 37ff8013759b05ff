package import GatewayCore

/// Does the commands of calls for a wire format that has them: whoever joins hears what the members are told, until they
/// leave or go. All of it is done at once, on the speaker's loop.
package struct CallCommands: OperationHandler {
  private let dialect: any CallDialect

  package init(_ dialect: any CallDialect) {
    self.dialect = dialect
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
      services.announce(CallEvent(call: call, user: user, kind: .memberJoined), except: speaker.id)
    case .leave(let call):
      guard speaker.watches(call) else { return .notAMember }
      speaker.unwatch(call)
      services.announce(CallEvent(call: call, user: user, kind: .memberLeft))
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
    for call in calls { services.announce(CallEvent(call: call, user: user, kind: .memberLeft)) }
  }
}
