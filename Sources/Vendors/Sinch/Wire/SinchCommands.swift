internal import GatewayCore
internal import GatewayKit

/// A command that only Sinch's clients send.
enum SinchCommand: Hashable {
  /// Closes the connection when all earlier commands are complete.
  case terminate
  case unregister
}

/// The `CommandHandler` of Sinch's clients. Calls are handled as for all dialects.
struct SinchCommands: CommandHandler {
  private let directory: SinchDirectory
  private let errors: SinchErrorWords
  private let calls: CallCommands

  init(
    _ dialect: SinchDialect, directory: SinchDirectory, on executor: any (SerialExecutor & TaskExecutor)
  ) {
    self.directory = directory
    errors = dialect.errors
    calls = CallCommands(dialect, on: executor)
  }

  func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool {
    calls.performAtOnce(command, by: caller, at: speaker, request: request, on: services)
  }

  func userLeft(_ calls: [CallID], _ user: UserID, on services: any GatewayServices) {
    self.calls.userLeft(calls, user, on: services)
  }

  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    switch command.baggage.unpacked(SinchCommand.self) {
    case .terminate:
      _ = await services.control(
        SessionFilter(user: caller.user, connections: [caller.connection]), .disconnect(.normal))
      return []
    case .unregister:
      // The device is logged out of push, and its registration is deleted; the connection stays until it ends.
      if let instance = caller.notes?.unpacked(SinchStanding.self)?.instance {
        do throws(SinchRefusal) {
          _ = try await directory.deleteInstance(instance, at: services.wallTime)
        } catch {
          return [Frame(text: SinchWords.error("error", error.gatewayError, errors))]
        }
      }
      return [Frame(text: SinchWords.text("pushTokenUnregistered"))]
    case nil:
      return []
    }
  }
}
