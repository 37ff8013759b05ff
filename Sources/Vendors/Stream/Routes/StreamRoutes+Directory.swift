internal import GatewayCore

// Access to the directory with Stream's errors.

extension StreamRoutes {
  /// Returns the user, nil if there is none, and the application's settings.
  func lookUp(_ id: UserID) async throws(StreamError) -> (user: StreamUser?, settings: StreamAppSettings) {
    do throws(GatewayError) {
      return try await directory.lookUp(id, at: services.wallTime)
    } catch {
      throw StreamError(error)
    }
  }

  /// Returns the users in `ids` that exist, in that order.
  func users(_ ids: [UserID]) async throws(StreamError) -> [StreamUser] {
    do throws(GatewayError) {
      return try await directory.users(ids, at: services.wallTime)
    } catch {
      throw StreamError(error)
    }
  }

  /// Removes the user; does nothing if there is none.
  func removeUser(_ id: UserID) async throws(StreamError) {
    do throws(GatewayError) {
      try await directory.removeUser(id, at: services.wallTime)
    } catch {
      throw StreamError(error)
    }
  }

  func appSettings() async throws(StreamError) -> StreamAppSettings {
    do throws(GatewayError) {
      return try await directory.settings(at: services.wallTime)
    } catch {
      throw StreamError(error)
    }
  }
}
