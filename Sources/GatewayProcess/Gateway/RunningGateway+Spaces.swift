internal import GatewayCore
internal import GatewayRuntime
internal import GatewayServer
package import GatewaySpace

extension RunningGateway {
  /// Hosts another space with settings that no order over the control port can have, e.g. for a test of this process. Throws
  /// a `GatewayError` if they are invalid or nothing can listen.
  package func host(_ settings: GatewaySettings, _ order: SpaceOrder) async throws -> NamedSpace {
    guard let spaces else { throw GatewayError.notFound.detailed("this process hosts no spaces") }
    let loop = loops[0]
    let reading = SpacesSettings.Reading(settings, secret: nil, connectionsMax: settings.limits.connectionsMax)
    let planner = SpacesSettings(countMax: 1) { _ in reading }.planner(loop, refusals)
    let outcome = await LoopStage(loop: loop.events).perform {
      do throws(GatewayError) {
        return Result<NamedSpace, GatewayError>.success(try await spaces.make(order, by: planner))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Ends a space, and returns when it is gone.
  package func end(_ space: NamedSpace) async {
    guard let spaces else { return }
    await LoopStage(loop: loops[0].events).perform { await spaces.end(space) }
  }
}
