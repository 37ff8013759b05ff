internal import GatewayCore

/// An authenticated caller over HTTP.
enum SendbirdCaller: Hashable, Sendable {
  /// A server with the application's secret, which may do everything.
  case server
  /// A client. A guest, who logged in by name alone under the setting read-only, cannot change anything.
  case user(UserID, UserKind)
}

/// The authentication of the HTTP API, by `Api-Token` or `Session-Key`.
struct SendbirdGate: Sendable {
  private let settings: SendbirdSettings
  private let sessions: SendbirdSessions
  private let services: any GatewayServices

  init(settings: SendbirdSettings, sessions: SendbirdSessions, services: any GatewayServices) {
    self.settings = settings
    self.sessions = sessions
    self.services = services
  }

  /// Returns the caller. If the settings require a live connection, a user without one gets 800101, unless the session
  /// was opened over HTTP.
  func caller(of request: HTTPRequest) async throws(SendbirdError) -> SendbirdCaller {
    try checkApplication(of: request)
    if let presented = request.header("api-token") {
      guard ConstantTime.areEqual(Array(settings.apiToken.token.utf8), Array(presented.utf8)) else {
        throw .apiTokenInvalid
      }
      return .server
    }
    guard let key = SendbirdWire.meant(request.header("session-key")) else { throw .apiTokenMissing }
    do throws(GatewayError) {
      let holder = try await sessions.caller(key: key, at: services.wallTime)
      if let refusal = await services.refusal(of: holder.token) { throw refusal }
      if holder.needsConnection, await !services.isConnected(holder.token.user) {
        throw GatewayError.connectionRequired
      }
      return .user(holder.token.user, holder.token.kind)
    } catch {
      throw SendbirdError(error)
    }
  }

  /// Throws unless the caller is a server.
  func server(of request: HTTPRequest) async throws(SendbirdError) {
    guard try await caller(of: request) == .server else { throw .apiTokenMissing }
  }

  /// Throws if the request names another application. Not every client names one over HTTP.
  func checkApplication(of request: HTTPRequest) throws(SendbirdError) {
    guard let named = request.header("app-id") else { return }
    guard settings.isForUs(named) else { throw .applicationNotFound }
  }
}
