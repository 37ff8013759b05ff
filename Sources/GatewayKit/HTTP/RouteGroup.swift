package import GatewayCore

/// A group of HTTP resources that share one way to read and authorize requests and one format of errors. An example is
/// a platform API whose resources all require a caller and answer errors as `{"error": true, "code"}`.
package struct RouteGroup<Asked: Sendable, Failure: Error>: Sendable {
  /// A function that reads and authorizes a request and returns the input of the resources.
  package typealias Reading =
    nonisolated(nonsending) @Sendable (HTTPRequest, PathParameters) async throws(Failure) -> Asked
  /// A function that answers one request.
  package typealias Work = nonisolated(nonsending) @Sendable (HTTPRequest, Asked) async throws(Failure) -> HTTPResponse
  /// A function that answers one request from the input alone.
  package typealias ShortWork = nonisolated(nonsending) @Sendable (Asked) async throws(Failure) -> HTTPResponse

  private let words: @Sendable (Failure) -> HTTPResponse
  private let read: Reading

  /// Creates a group.
  ///
  /// - Parameters:
  ///   - words: Returns the response for an error.
  ///   - read: Reads and authorizes a request. Its errors are answered by `words` too.
  package init(words: @escaping @Sendable (Failure) -> HTTPResponse, read: @escaping Reading) {
    self.words = words
    self.read = read
  }

  package func route(
    _ method: String, _ pattern: String, pages: PageAccess = .named, _ work: @escaping Work
  ) -> HTTPRoute {
    // Copies, not a capture list: a closure with a capture list leaves its caller's executor.
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
  /// Creates a group whose resources read their requests themselves.
  package init(words: @escaping @Sendable (Failure) -> HTTPResponse) {
    self.init(words: words) { _, parameters throws(Failure) in parameters }
  }
}
