package import GatewayCore
internal import GatewayJSON
internal import GatewayKit
package import GatewayTokens

/// The maker of Stream's REST routes: of `JoinCall`, say, on each path that it has. It finds out who asks, words errors
/// and counts limits; a resource itself is a function of a ``StreamRequest``.
package struct StreamRoutes: Sendable {
  package let services: any GatewayServices
  package let directory: StreamDirectory
  package let settings: StreamVideoSettings
  /// Where the names come from that open what they name, an export's for instance.
  let secrets: Secrets
  /// Nil where requests are not limited.
  private let limiter: StreamLimiter?

  package init(
    services: any GatewayServices, directory: StreamDirectory, settings: StreamVideoSettings,
    secrets: Secrets, limiter: StreamLimiter? = nil
  ) {
    self.services = services
    self.directory = directory
    self.settings = settings
    self.secrets = secrets
    self.limiter = limiter
  }

  /// Where the platform stands with its limits; nothing where none are kept.
  package func limits(
    of platform: StreamPlatform, _ operations: [String], at now: WallTime
  ) async -> [(operation: String, state: StreamLimitState)] {
    await limiter?.standing(platform, operations, at: now) ?? []
  }

  /// The circle of those who may ask: servers only, for instance.
  package enum Access: Hashable, Sendable {
    /// Anybody with an API key; who it is is not looked at.
    case open
    /// Anonymous users too, with a call token or without.
    case anonymous
    /// Users, guests and servers.
    case user
    /// Servers only.
    case server
  }

  /// What a banned user may not do, as documented: make calls or join them, and ring or notify others.
  private static let closedToBanned: Set<String> = ["GetOrCreateCall", "JoinCall", "RingCall"]

  package typealias Work =
    nonisolated(nonsending) @Sendable (StreamRequest) async throws(StreamError) -> StreamAnswer

  /// The routes of one resource, one for each path it has.
  ///
  /// - Parameter operation: The name that Stream gives the operation in errors, e.g. `JoinCall`.
  package func resource(
    _ method: String, _ path: StreamPath, _ operation: String, _ access: Access, _ work: @escaping Work
  ) -> [HTTPRoute] {
    path.patterns.map { pattern in
      let family = StreamFamily(path: pattern)
      return HTTPRoute(method, pattern) { request, parameters in
        let receivedAt = services.wallTime
        var limit: StreamLimitState?
        var response: HTTPResponse
        do throws(StreamError) {
          let caller = try await caller(of: request, access)
          if caller.isBanned, Self.closedToBanned.contains(operation) { throw .notAllowed("the user is banned") }
          let counted = caller.kind == .anonymous ? nil : caller.user
          limit = await limiter?.count(operation, caller.platform, user: counted, at: receivedAt)
          if limit?.isExceeded == true { throw .rateLimit("Too many requests for user") }
          let request = StreamRequest(
            http: request, parameters: parameters, family: family, caller: caller,
            body: try StreamBody(request.body), receivedAt: receivedAt)
          response = try await work(request).response(after: services.wallTime - receivedAt)
        } catch {
          response = error.response(operation, services.wallTime - receivedAt)
        }
        if let limit { response.headers += limit.headers }
        return response
      }
    }
  }
}
