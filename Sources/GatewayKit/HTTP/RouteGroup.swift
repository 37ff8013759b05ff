package import GatewayCore

/// Resources with one way to find out what is asked and by whom, and one wording of what goes wrong: a platform API,
/// for instance, whose every resource wants a caller and answers `{"error": true, "code"}`.
package struct RouteGroup<Asked: Sendable, Failure: Error>: Sendable {
  /// Makes of a request what the resources are given, or refuses it.
  package typealias Reading =
    nonisolated(nonsending) @Sendable (HTTPRequest, PathParameters) async throws(Failure) -> Asked
  /// Answers one request.
  package typealias Work = nonisolated(nonsending) @Sendable (HTTPRequest, Asked) async throws(Failure) -> HTTPResponse
  /// Answers one request of which all that matters has been read.
  package typealias ShortWork = nonisolated(nonsending) @Sendable (Asked) async throws(Failure) -> HTTPResponse

  private let words: @Sendable (Failure) -> HTTPResponse
  private let read: Reading

  /// - Parameters:
  ///   - words: The response that says what went wrong.
  ///   - read: Who asks for what; what it throws is answered in the same words.
  package init(words: @escaping @Sendable (Failure) -> HTTPResponse, read: @escaping Reading) {
    self.words = words
    self.read = read
  }

  package func route(
    _ method: String, _ pattern: String, pages: PageAccess = .named, _ work: @escaping Work
  ) -> HTTPRoute {
    // Not by a capture list: a closure that has one leaves its caller's executor.
    let (words, read) = (words, read)
    return HTTPRoute(method, pattern, pages: pages) { request, parameters in
      do throws(Failure) {
        return try await work(request, try await read(request, parameters))
      } catch {
        return words(error)
      }
    }
  }

  package func route(
    _ method: String, _ pattern: String, pages: PageAccess = .named, _ work: @escaping ShortWork
  ) -> HTTPRoute {
    route(method, pattern, pages: pages) { _, asked throws(Failure) in try await work(asked) }
  }
}

extension RouteGroup where Asked == PathParameters {
  /// Resources that read for themselves.
  package init(words: @escaping @Sendable (Failure) -> HTTPResponse) {
    self.init(words: words) { _, parameters throws(Failure) in parameters }
  }
}
