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
  private let callbacks: SinchCallbacks?

  init(
    _ dialect: SinchDialect, directory: SinchDirectory, callbacks: SinchCallbacks?,
    on executor: any (SerialExecutor & TaskExecutor)
  ) {
    self.directory = directory
    self.callbacks = callbacks
    errors = dialect.errors
    calls = CallCommands(dialect, on: executor)
  }

  func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool {
    guard let callbacks, let call = command.baggage.unpacked(CallCommand.self)?.call else {
      return calls.performAtOnce(command, by: caller, at: speaker, request: request, on: services)
    }
    let wasIn = speaker.watches(call)
    let isDone = calls.performAtOnce(command, by: caller, at: speaker, request: request, on: services)
    switch (wasIn, speaker.watches(call)) {
    case (false, true): callbacks.joined(call, by: caller, at: services.wallTime)
    case (true, false): callbacks.left(call, by: caller.connection, at: services.wallTime)
    default: break
    }
    return isDone
  }

  func userLeft(
    _ calls: [CallID], _ user: UserID, of connection: ConnectionID, on services: any GatewayServices
  ) {
    self.calls.userLeft(calls, user, of: connection, on: services)
    guard let callbacks else { return }
    for call in calls { callbacks.left(call, by: connection, at: services.wallTime) }
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
