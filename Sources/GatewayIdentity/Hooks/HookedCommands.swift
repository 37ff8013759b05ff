internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime

/// A handler of commands that asks the backend about each join.
///
/// A question delays the commands of its own connection only.
struct HookedCommands: CommandHandler {
  let inner: any CommandHandler
  let hooks: Hooks

  private static func channel(of command: Command) -> String? {
    guard case .join(let call)? = command.baggage.unpacked(CallCommand.self) else { return nil }
    return call.cid
  }

  func performAtOnce(
    _ command: Command, by caller: Caller, at speaker: any Speaker, request: RequestID?,
    on services: any GatewayServices
  ) -> Bool {
    guard Self.channel(of: command) == nil else { return false }
    return inner.performAtOnce(command, by: caller, at: speaker, request: request, on: services)
  }

  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    guard let channel = Self.channel(of: command), let table = hooks.gateway.table(of: caller.connection) else {
      return await inner.perform(command, by: caller, request: request, on: services)
    }
    let answer = await hooks.ask(about: command.label, channel, of: caller)
    let isDone = await table.perform { table in
      // The login that gave the command may have ended meanwhile.
      guard let connection = table.connection(caller.connection), connection.grant?.user == caller.user else {
        return true
      }
      switch answer {
      case .accepted?:
        return inner.performAtOnce(command, by: caller, at: connection, request: request, on: services)
      case .closed(let reason)?: connection.give(.disconnect(reason))
      case .refused(let code, let text)?: connection.refuse(.refused(code, text), request)
      case .expired?: connection.refuse(.applicationRefused, request)
      case nil: connection.refuse(.identityUnavailable, request)
      }
      return true
    }
    return isDone ? [] : await inner.perform(command, by: caller, request: request, on: services)
  }

  func userLeft(
    _ calls: [CallID], _ user: UserID, of connection: ConnectionID, on services: any GatewayServices
  ) {
    inner.userLeft(calls, user, of: connection, on: services)
  }
}
