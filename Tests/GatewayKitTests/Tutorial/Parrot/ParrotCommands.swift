import GatewayCore
import GatewayJSON
import GatewayKit

/// The handler of the commands of the parrot's clients.
struct ParrotCommands: CommandHandler {
  let cage: ParrotCage

  nonisolated(nonsending) func perform(
    _ command: Command, by caller: Caller, request: RequestID?, on services: any GatewayServices
  ) async -> [Frame] {
    guard case .teach(let word) = command.baggage.unpacked(ParrotCommand.self) else { return [] }
    do throws(GatewayError) {
      let isNew = try await cage.learn(word, from: caller.user, at: services.wallTime)
      let squawk = ParrotDialect.squawk(word, isNew: isNew)
      // The user's other connections receive it too.
      services.announce(to: .users([caller.user]), except: caller.connection, squawk, in: ParrotDialect.name)
      return [squawk]
    } catch {
      return [ParrotDialect.frame(error)]
    }
  }
}
