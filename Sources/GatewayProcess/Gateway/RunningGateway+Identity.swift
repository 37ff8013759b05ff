internal import Dispatch
internal import GatewayIdentity
internal import GatewayKit
internal import GatewayServer
internal import GatewaySpace

extension RunningGateway {
  /// Begins to fetch the keys of the application's own login and of the transmitter of events, where there are any. Throws if
  /// their settings are wrong.
  static func fetchKeys(of space: Space, on loop: SocketLoop) async throws {
    guard !space.issuers.isEmpty else { return }
    do throws(KeyFailure) {
      try await space.fetchKeys(by: SocketDialer(on: loop)) { host, answer in
        // On a thread of its own, since the name service may take seconds.
        DispatchQueue(label: "postern.names").async { answer(addresses(of: host)) }
      }
    } catch {
      throw UsageError("\(error.issuer == "events" ? "--events-from" : "--oidc"): \(error)")
    }
  }

  private static func addresses(of host: String) -> Result<[String], KeyFailure> {
    do throws(ServerError) {
      return .success(try NameService.addresses(of: host))
    } catch {
      return .failure(KeyFailure("\(error)", .unreachable))
    }
  }
}
