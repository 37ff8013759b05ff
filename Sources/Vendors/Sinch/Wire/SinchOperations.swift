package import GatewayCore

/// Does what only clients of Sinch ask for.
package struct SinchOperations: OperationHandler {
  private let directory: any SinchDirectory

  package init(directory: any SinchDirectory) {
    self.directory = directory
  }

  package nonisolated(nonsending) func perform(
    _ operation: DialectOperation, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    switch operation.name {
    case "terminateGracefully":
      _ = await services.control(
        SessionFilter(user: caller.user, connections: [caller.connection]), .disconnect(.normal))
      return []
    default:
      // The device is logged out of push, and its registration goes with it; the connection stays until it ends.
      if let instance = caller.note(SinchDevice.Note.instance) {
        _ = await directory.deleteInstance(Name(instance), at: services.wallTime)
      }
      return [Frame(text: SinchWords.text("pushTokenUnregistered"))]
    }
  }
}
