internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// A builder of Stream's REST routes, one for each path of a resource. It identifies the caller, formats errors and
/// counts limits; the resource itself is a function of a ``StreamRequest``.
struct StreamRoutes: Sendable {
  let services: any GatewayServices
  let directory: StreamDirectory
  let settings: StreamVideoSettings
  /// The source of secret names, such as an export's.
  let secrets: Secrets
  /// Nil if requests are not limited.
  private let limiter: StreamLimiter?

  init(
    services: any GatewayServices, directory: StreamDirectory, settings: StreamVideoSettings,
    secrets: Secrets, limiter: StreamLimiter? = nil
  ) {
    self.services = services
    self.directory = directory
    self.settings = settings
    self.secrets = secrets
    self.limiter = limiter
  }

  /// Returns the platform's standing; empty if there are no limits.
  func limits(
    of platform: StreamPlatform, _ operations: [String], at now: WallTime
  ) async -> [(operation: String, state: StreamLimitState)] {
    await limiter?.standing(platform, operations, at: now) ?? []
  }

  /// The kinds of callers that a resource admits.
  enum Access: Hashable, Sendable {
    /// Any client with an API key, without authentication.
    case open
    /// Also anonymous users, with or without a call token.
    case anonymous
    /// Users, guests and servers.
    case user
    /// Servers only.
    case server
  }

  /// The operations that are closed to banned users, as documented: creating, joining, ringing and notifying.
  private static let closedToBanned: Set<String> = ["GetOrCreateCall", "JoinCall", "RingCall"]

  typealias Work =
    nonisolated(nonsending) @Sendable (StreamRequest) async throws(StreamError) -> StreamAnswer

  /// Returns the routes of one resource, one for each path.
  ///
  /// - Parameter operation: Stream's name for the operation in errors, e.g. `JoinCall`.
  func resource(
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
