internal import Dispatch
internal import GatewayIdentity
internal import GatewayKit
internal import GatewayServer
internal import GatewaySpace

extension RunningGateway {
  /// Begins to ask the application's own servers, where there are any. Throws if their settings are wrong.
  static func beginAsking(for space: Space, on loops: [SocketLoop]) async throws {
    guard space.asksOutside else { return }
    do throws(OutboundFailure) {
      try await space.beginAsking(
        by: loops.map { SocketDialer(on: $0) },
        names: NameBook { host, answer in
          // On a thread of its own, since the name service may take seconds.
          DispatchQueue(label: "postern.names").async { answer(addresses(of: host)) }
        })
    } catch {
      throw UsageError("\(error.endpoint == "events" ? "--events-from" : "--oidc"): \(error)")
    }
  }

  private static func addresses(of host: String) -> NameBook.Found {
    do throws(ServerError) {
      return .success(try NameService.addresses(of: host))
    } catch {
      return .failure(OutboundFailure("\(error)", .unreachable))
    }
  }
}
