internal import GatewayCore

/// Answers the commands that the dialect understood well enough to refuse; hands on the others.
struct SendbirdOperations: OperationHandler {
  private let commands: (any OperationHandler)?

  init(_ commands: (any OperationHandler)?) {
    self.commands = commands
  }

  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    let refused = command.baggage.unpacked(SendbirdError.self)
    if refused == nil, let commands {
      return await commands.perform(command, by: caller, request: request, on: services)
    }
    return request.map { [SendbirdFrame.error(refused ?? .noEndpoint, $0, at: services.wallTime)] } ?? []
  }
}
