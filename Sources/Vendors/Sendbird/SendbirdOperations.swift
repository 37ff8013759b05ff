internal import GatewayCore

/// Answers the commands that the dialect understood well enough to refuse; hands on the others.
struct SendbirdOperations: OperationHandler {
  private let commands: (any OperationHandler)?

  init(_ commands: (any OperationHandler)?) {
    self.commands = commands
  }

  nonisolated(nonsending) func perform(
    _ operation: DialectOperation, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    let refused = operation.refused
    if refused == nil, let commands {
      return await commands.perform(operation, by: caller, request: request, on: services)
    }
    return request.map { [SendbirdFrame.error(refused ?? .noEndpoint, $0, at: services.wallTime)] } ?? []
  }
}
