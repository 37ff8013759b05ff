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
    guard let error = operation.refused ?? (commands == nil ? .noEndpoint : nil) else {
      return await commands!.perform(operation, by: caller, request: request, on: services)
    }
    return request.map { [SendbirdFrame.error(error, $0)] } ?? []
  }
}
